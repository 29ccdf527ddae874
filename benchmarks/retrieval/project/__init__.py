"""Made-up memories of made-up projects, and what people ask of them."""
