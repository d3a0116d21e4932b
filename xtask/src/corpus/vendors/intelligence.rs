//! Model providers and the tools around them.

use super::Format;

#[rustfmt::skip]
pub(super) const EVIDENT: &[Format] = &[
    ("openai-legacy", "OPENAI_API_KEY", "sk-{w20}T3BlbkFJ{w20}"),
    ("openai-project", "OPENAI_API_KEY", "sk-proj-{s74}T3BlbkFJ{s74}"),
    ("openai-service", "OPENAI_API_KEY", "sk-svcacct-{s74}T3BlbkFJ{s74}"),
    ("openai-admin", "OPENAI_ADMIN_KEY", "sk-admin-{s58}T3BlbkFJ{s58}"),
    ("anthropic", "ANTHROPIC_API_KEY|CLAUDE_KEY", "sk-ant-api03-{s93}AA"),
    ("anthropic-admin", "ANTHROPIC_ADMIN_KEY", "sk-ant-admin01-{s93}AA"),
    ("anthropic-oauth", "CLAUDE_CODE_OAUTH_TOKEN", "sk-ant-oat01-{s93}AA"),
    ("huggingface", "HF_TOKEN|HUGGING_FACE_HUB_TOKEN", "hf_{a34}"),
    ("huggingface-org", "HF_ORG_TOKEN", "api_org_{a34}"),
    ("replicate", "REPLICATE_API_TOKEN", "r8_{w37}"),
    ("perplexity", "PERPLEXITY_API_KEY", "pplx-{w48}"),
    ("groq", "GROQ_API_KEY", "gsk_{w52}"),
    ("xai", "XAI_API_KEY", "xai-{w80}"),
    ("openrouter", "OPENROUTER_API_KEY", "sk-or-v1-{h64}"),
    ("deepseek", "DEEPSEEK_API_KEY", "sk-{h32}"),
    ("stability", "STABILITY_KEY", "sk-{w48}"),
    ("fireworks", "FIREWORKS_API_KEY", "fw_{w24}"),
    ("langsmith", "LANGSMITH_API_KEY|LANGCHAIN_API_KEY", "lsv2_pt_{h32}_{h10}"),
    ("langfuse", "LANGFUSE_SECRET_KEY", "sk-lf-{uuid}"),
    ("pinecone", "PINECONE_API_KEY", "pcsk_{w6}_{w63}"),
    ("elevenlabs", "ELEVENLABS_API_KEY", "sk_{h48}"),
    ("cursor", "CURSOR_API_KEY", "key_{h64}"),
    ("voyage", "VOYAGE_API_KEY", "pa-{s43}"),
    ("tavily", "TAVILY_API_KEY", "tvly-dev-{w32}"),
    ("e2b", "E2B_API_KEY", "e2b_{h40}"),
    ("firecrawl", "FIRECRAWL_API_KEY", "fc-{h32}"),
    ("modal", "MODAL_TOKEN_SECRET", "as-{w22}"),
    ("cerebras", "CEREBRAS_API_KEY", "csk-{n48}"),
    ("nvidia", "NVIDIA_API_KEY|NGC_KEY", "nvapi-{s64}"),
    ("jina", "JINA_API_KEY", "jina_{w60}"),
    ("llama-cloud", "LLAMA_CLOUD_API_KEY", "llx-{w48}"),
];
