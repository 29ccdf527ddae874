"""PyYAML, kept to text, lists and mappings: no dates, no numbers, no tags, no aliases."""

from __future__ import annotations

import yaml

_TEXT = "tag:yaml.org,2002:str"
_NULL = "tag:yaml.org,2002:null"
_LIST = "tag:yaml.org,2002:seq"
_MAPPING = "tag:yaml.org,2002:map"


class TextLoader(yaml.SafeLoader):
    """Reads every scalar but null as the text it is written with; refuses aliases and other tags."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            event = self.peek_event()  # type: ignore[no-untyped-call]
            raise yaml.composer.ComposerError(
                None, None, "an alias stands here, which is not supported", event.start_mark
            )
        return super().compose_node(parent, index)


TextLoader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag == _NULL]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
TextLoader.yaml_constructors = {
    tag: builder
    for tag, builder in yaml.SafeLoader.yaml_constructors.items()
    if tag in (_NULL, _TEXT, _LIST, _MAPPING, None)  # None stands for a tag that is refused
}
