"""The shapes that issuers of credentials document for their keys, as data."""

from __future__ import annotations

from engram.record import Record

# Of these only the head has a shape; the secret reaches to the last line that holds the mark.
LAST_LINE = {"private_key": "-----END", "putty_key": "Private-MAC:"}
LONGEST_KEY_FILE = 12_000


class Shape(Record):
    """One kind of credential that is known by its shape alone."""

    kind: str  # below "secret."
    name: str  # for the message
    keys: tuple[str, ...]  # one of these stands in every such credential, as written
    pattern: str  # the whole match is the secret
    public: bool = True  # whether its first four characters only name the issuer


_EDGE = r"(?<![A-Za-z0-9_])"
_END = r"(?![A-Za-z0-9_])"


def _shape(kind: str, name: str, keys: str, pattern: str, *, public: bool = True) -> Shape:
    return Shape(kind, name, tuple(keys.split(" ")), f"{_EDGE}(?:{pattern}){_END}", public)


SHAPES: tuple[Shape, ...] = (
    # clouds
    _shape("aws_access_key", "an AWS access key", "AKIA ASIA ABIA ACCA", r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}"),
    _shape("google_api_key", "a Google API key", "AIza", r"AIza[\w-]{35}(?!-)"),
    _shape("google_oauth", "a Google OAuth secret", "GOCSPX- ya29. 1//0", r"GOCSPX-[\w-]{24,40}|ya29\.[\w-]{30,512}|1//0[\w-]{40,200}"),
    _shape("azure_client_secret", "an Azure client secret", "Q~", r"[\w.~-]{3}[78]Q~[\w.~-]{31,34}", public=False),
    _shape("azure_storage_key", "an Azure storage account key", "AccountKey= SharedAccessKey=", r"(?:AccountKey|SharedAccessKey)=[A-Za-z0-9+/]{40,90}={0,2}"),
    _shape("azure_sas", "an Azure shared access signature", "sig=", r"sig=(?:[A-Za-z0-9]|%[0-9A-Fa-f]{2}|[+/]){40,70}(?:%3[Dd]|=){1,2}", public=False),
    _shape("digitalocean_token", "a DigitalOcean token", "dop_v1_ doo_v1_ dor_v1_", r"do[opr]_v1_[a-f0-9]{64}"),
    _shape("heroku_key", "a Heroku key", "HRKU-", r"HRKU-[\w-]{30,70}"),
    _shape("fly_token", "a Fly.io token", "fm1_ fm2_ fo1_", r"f(?:m[12]|o1)_[A-Za-z0-9+/=_-]{40,1000}"),
    _shape("alibaba_key", "an Alibaba Cloud key", "LTAI", r"LTAI[A-Za-z0-9]{12,24}"),
    _shape("tencent_key", "a Tencent Cloud key", "AKID", r"AKID[A-Za-z0-9]{32}"),
    _shape("yandex_key", "a Yandex Cloud key", "AQVN y0_ t1.", r"AQVN[\w-]{35,38}|y0_[\w-]{50,70}|t1\.[A-Z0-9a-z_-]+[=]{0,2}\.[\w-]{80,90}"),
    _shape("cloudflare_key", "a Cloudflare key", "v1.0- cfut_ cfat_", r"v1\.0-[a-f0-9]{24}-[a-f0-9]{100,160}|cf[ua]t_[\w-]{40,60}"),
    _shape("vercel_token", "a Vercel token", "vcp_ vck_ vci_ vca_", r"vc[pkia]_[A-Za-z0-9]{24,64}"),
    _shape("netlify_token", "a Netlify token", "nfp_", r"nfp_[A-Za-z0-9]{36,44}"),
    _shape("render_key", "a Render key", "rnd_", r"rnd_[A-Za-z0-9]{28,36}"),
    # code hosts and package registries
    _shape("github_token", "a GitHub token", "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_", r"gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9_]{36,255}"),
    _shape("gitlab_token", "a GitLab token", "glpat- gldt- glrt- glptt- glcbt- glsoat- glft- glimt- glagent- GR1348941", r"gl(?:pat|dt|rt|ptt|cbt|soat|ft|imt|agent)-[\w.-]{20,300}|GR1348941[\w-]{20}"),
    _shape("bitbucket_token", "a Bitbucket app password", "ATBB", r"ATBB[A-Za-z0-9]{32}"),
    _shape("atlassian_token", "an Atlassian token", "ATATT3 ATCTT3", r"AT[AC]TT3[\w=-]{60,250}"),
    _shape("npm_token", "an npm token", "npm_", r"npm_[A-Za-z0-9]{36}"),
    _shape("pypi_token", "a PyPI token", "pypi-", r"pypi-[\w-]{50,500}"),
    _shape("rubygems_key", "a RubyGems key", "rubygems_", r"rubygems_[a-f0-9]{48}"),
    _shape("crates_token", "a crates.io token", "cio", r"cio[A-Za-z0-9]{32}"),
    _shape("nuget_key", "a NuGet key", "oy2", r"oy2[a-z0-9]{43}"),
    _shape("docker_token", "a Docker Hub token", "dckr_pat_ dckr_oat_", r"dckr_[po]at_[\w-]{24,40}"),
    _shape("artifactory_key", "an Artifactory key", "AKCp cmVmdGtuO", r"AKCp[A-Za-z0-9]{60,80}|cmVmdGtuO[A-Za-z0-9]{50,70}"),
    # models
    _shape("anthropic_key", "an Anthropic key", "sk-ant-", r"sk-ant-[\w-]{24,200}"),
    _shape("openrouter_key", "an OpenRouter key", "sk-or-", r"sk-or-(?:v1-)?[a-f0-9]{40,64}"),
    _shape("openai_key", "an OpenAI key", "sk-", r"sk-(?:proj|svcacct|admin|None)-[\w-]{20,200}|sk-[A-Za-z0-9]{20,64}"),
    _shape("huggingface_token", "a Hugging Face token", "hf_ api_org_", r"(?:hf_|api_org_)[A-Za-z]{34}|hf_[A-Za-z0-9]{34,40}"),
    _shape("replicate_token", "a Replicate token", "r8_", r"r8_[A-Za-z0-9]{37}"),
    _shape("groq_key", "a Groq key", "gsk_", r"gsk_[A-Za-z0-9]{52}"),
    _shape("perplexity_key", "a Perplexity key", "pplx-", r"pplx-[A-Za-z0-9]{40,64}"),
    _shape("xai_key", "an xAI key", "xai-", r"xai-[A-Za-z0-9]{70,90}"),
    _shape("langsmith_key", "a LangSmith key", "lsv2_", r"lsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}"),
    _shape("pinecone_key", "a Pinecone key", "pcsk_", r"pcsk_[\w]{40,80}"),
    # money
    _shape("stripe_key", "a Stripe key", "sk_live_ rk_live_ sk_test_ rk_test_ whsec_", r"(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{10,250}|whsec_[A-Za-z0-9+/=]{24,64}"),
    _shape("square_token", "a Square token", "sq0atp- sq0csp- EAAA", r"sq0(?:atp|csp)-[\w-]{22,43}|EAAA[\w-]{60}"),
    _shape("shopify_token", "a Shopify token", "shpat_ shpca_ shppa_ shpss_", r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}"),
    _shape("braintree_token", "a Braintree token", "access_token$", r"access_token\$(?:production|sandbox)\$[0-9a-z]{16}\$[0-9a-f]{32}"),
    _shape("flutterwave_key", "a Flutterwave key", "FLWSECK", r"FLWSECK(?:_TEST)?-[a-h0-9A-Za-z]{12,40}-X"),
    _shape("easypost_key", "an EasyPost key", "EZAK EZTK", r"EZ[AT]K[a-zA-Z0-9]{54}"),
    # messages and mail
    _shape("slack_token", "a Slack token", "xox xapp-", r"xox[abeoprs](?:\.xox[bp])?-[A-Za-z0-9-]{10,250}|xapp-\d-[A-Z0-9]+-\d+-[a-z0-9]{30,80}"),
    _shape("slack_webhook", "a Slack webhook", "hooks.slack.com", r"https://hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9+/]{30,120}"),
    _shape("discord_webhook", "a Discord webhook", "/api/webhooks/", r"https://(?:\w+\.)?discord(?:app)?\.com/api/webhooks/\d{15,22}/[\w-]{60,80}"),
    _shape("discord_token", "a Discord bot token", "M N O", r"[MNO][A-Za-z\d_-]{23,27}\.[\w-]{6}\.[\w-]{27,40}", public=False),
    _shape("teams_webhook", "a Teams webhook", "webhook.office.com", r"https://[\w-]+\.webhook\.office\.com/webhookb2/[\w@-]{60,90}/IncomingWebhook/[a-f0-9]{32}/[\w-]{30,40}"),
    _shape("telegram_token", "a Telegram bot token", ":AA", r"\d{8,10}:AA[\w-]{32,34}", public=False),
    _shape("twilio_key", "a Twilio key", "SK", r"SK[a-f0-9]{32}"),
    _shape("sendgrid_key", "a SendGrid key", "SG.", r"SG\.[\w-]{16,32}\.[\w-]{32,64}"),
    _shape("mailgun_key", "a Mailgun key", "key-", r"key-[a-f0-9]{32}|[a-f0-9]{32}-[a-f0-9]{8}-[a-f0-9]{8}"),
    _shape("mailchimp_key", "a Mailchimp key", "-us", r"[a-f0-9]{32}-us\d{1,2}", public=False),
    _shape("brevo_key", "a Brevo key", "xkeysib- xsmtpsib-", r"x(?:keysib|smtpsib)-[a-f0-9]{64}-[A-Za-z0-9]{16}"),
    _shape("facebook_token", "a Facebook token", "EAA", r"EAA[A-Za-z0-9]{60,400}"),
    # tools
    _shape("grafana_token", "a Grafana token", "glsa_ glc_", r"glsa_[A-Za-z0-9]{32}_[a-f0-9]{8}|glc_[A-Za-z0-9+/=]{32,400}"),
    _shape("sentry_token", "a Sentry token", "sntrys_ sntryu_", r"sntrys_[\w+/=-]{40,500}|sntryu_[a-f0-9]{64}"),
    _shape("newrelic_key", "a New Relic key", "NRAK- NRRA- NRII- NRJS-", r"NR(?:AK-[A-Z0-9]{27}|RA-[a-f0-9]{42}|II-[\w-]{32}|JS-[a-f0-9]{19})"),
    _shape("dynatrace_token", "a Dynatrace token", "dt0c01. dt0s", r"dt0[cs]\d\d\.[A-Z0-9]{8,24}\.[A-Z0-9]{64}"),
    _shape("vault_token", "a Vault token", "hvs. hvb. hvr.", r"hv[sbr]\.[\w-]{24,300}"),
    _shape("terraform_token", "a Terraform Cloud token", "atlasv1", r"[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{60,70}", public=False),
    _shape("doppler_token", "a Doppler token", "dp.", r"dp\.(?:pt|st|ct|scim|audit|sa)(?:\.[\w-]{2,35})?\.[A-Za-z0-9]{40,44}"),
    _shape("pulumi_token", "a Pulumi token", "pul-", r"pul-[a-f0-9]{40}"),
    _shape("databricks_token", "a Databricks token", "dapi", r"dapi[a-f0-9]{32}(?:-\d)?"),
    _shape("planetscale_token", "a PlanetScale credential", "pscale_", r"pscale_(?:tkn|pw|oauth)_[\w.-]{32,64}"),
    _shape("supabase_token", "a Supabase key", "sbp_ sb_secret_", r"sbp_[a-f0-9]{40}|sb_secret_[\w-]{24,50}"),
    _shape("linear_key", "a Linear key", "lin_api_ lin_oauth_", r"lin_(?:api_[A-Za-z0-9]{40}|oauth_[a-f0-9]{64})"),
    _shape("notion_token", "a Notion token", "ntn_ secret_", r"ntn_[A-Za-z0-9]{40,50}|secret_[A-Za-z0-9]{43}"),
    _shape("figma_token", "a Figma token", "figd_ figo_", r"fig[do]_[\w-]{38,60}"),
    _shape("airtable_token", "an Airtable token", "pat", r"pat[A-Za-z0-9]{14}\.[a-f0-9]{64}"),
    _shape("postman_key", "a Postman key", "PMAK-", r"PMAK-[a-f0-9]{24}-[a-f0-9]{34}"),
    _shape("contentful_token", "a Contentful token", "CFPAT-", r"CFPAT-[\w-]{43}"),
    _shape("mapbox_token", "a Mapbox secret token", "sk.eyJ", r"sk\.eyJ[\w-]{40,300}\.[\w-]{20,24}"),
    _shape("sonar_token", "a SonarQube token", "sqp_ squ_ sqa_", r"sq[pua]_[a-f0-9]{40}"),
    _shape("circleci_token", "a CircleCI token", "CCIPAT_ CCIPRJ_", r"CCIP(?:AT|RJ)_[A-Za-z0-9]{22}_[a-f0-9]{40}"),
    _shape("buildkite_token", "a Buildkite token", "bkua_", r"bkua_[a-f0-9]{40}"),
    _shape("dropbox_token", "a Dropbox token", "sl.", r"sl\.(?:u\.)?[\w-]{120,1500}", public=False),
    _shape("tailscale_key", "a Tailscale key", "tskey-", r"tskey-(?:[a-z]+-)?[A-Za-z0-9]{8,24}-[A-Za-z0-9]{20,40}"),
    _shape("typeform_token", "a Typeform token", "tfp_", r"tfp_[\w-]{40,64}"),
    _shape("posthog_key", "a PostHog personal key", "phx_", r"phx_[A-Za-z0-9]{40,50}"),
    _shape("onepassword_token", "a 1Password service token", "ops_eyJ", r"ops_eyJ[\w-]{200,1500}={0,2}"),
    _shape("prefect_key", "a Prefect key", "pnu_ pnb_", r"pn[ub]_[A-Za-z0-9]{36}"),
    _shape("adobe_secret", "an Adobe client secret", "p8e-", r"p8e-[A-Za-z0-9_-]{32}"),
    _shape("age_key", "an age secret key", "AGE-SECRET-KEY-1", r"AGE-SECRET-KEY-1[A-Z0-9]{58}"),
    _shape("jwt", "a JSON web token", "eyJ", r"eyJ[\w-]{10,2000}\.eyJ[\w-]{10,4000}\.[\w-]{10,1000}|eyJ[\w-]{10,2000}\.[\w-]{0,700}\.[\w-]{16,30}\.[\w-]{10,6000}\.[\w-]{16,30}"),
    # connections
    _shape("private_key", "a private key", "PRIVATE", r"-----BEGIN (?:[A-Z0-9]{2,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----", public=False),
    _shape("putty_key", "a PuTTY private key", "PuTTY-User-Key-File", r"PuTTY-User-Key-File-\d: ", public=False),
    _shape("password_hash", "a password hash", "$2 $6$ $5$ $1$ $y$ $apr1$ $argon2", r"\$2[abxy]\$\d\d\$[./A-Za-z0-9]{53}|\$(?:[156y]|apr1)\$[^\s:$]{1,40}\$(?:[^\s:$]{1,20}\$)?[./A-Za-z0-9]{22,90}|\$argon2(?:id|i|d)\$v=\d+\$[\w=,]+\$[A-Za-z0-9+/]{10,90}\$[A-Za-z0-9+/]{20,90}", public=False),
)  # fmt: skip
