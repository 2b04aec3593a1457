/** What a person reads of a key whose schema says only which values it takes: meaning, default, example. */
type Words = readonly [about: string, otherwise: string, example: unknown];

const FACTS: Readonly<Record<string, Words>> = {
  context_length: ["Tokens of context; asked of the server, or known of the model.", "found out", 128000],
  max_output_tokens: ["Tokens of one reply.", "the model's own", 8000],
  vision: ["Whether it sees images; tried out when unknown.", "found out", true],
  reasoning: ["Whether it reasons.", "known of the model", true],
  stream: ["Replies come piece by piece.", "true", false],
  fast_tier: ["The provider's name of the faster tier that /fast asks for.", "known for OpenAI", "priority"],
};

/** The keys of the model's block and of each entry in `model.providers`. */
export const MODEL_WORDS: Readonly<Record<string, Words>> = {
  provider: ["A kind of provider, or a name in `providers`.", "the demo model", "openai"],
  kind: ["The kind of provider, when its name is none.", "that of its name, else local", "local"],
  base_url: ["Address of the endpoint.", "the vendor's", "http://localhost:8080/v1"],
  api_mode: ["What it speaks.", "found by kind, model and address", "responses_api"],
  auth_mode: ["A key, or an identity of the cloud.", "api_key", "identity_service"],
  default: ["The model.", "none", "gpt-5"],
  identity: [
    "`scope` of the identity's token.",
    "that of the cloud service",
    { scope: "https://example.com/.default" },
  ],
  key_env: ["The variable that holds the key.", "that of the vendor", "MY_KEY"],
  api_key_env: ["The same as `key_env`.", "none", "MY_KEY"],
  keyEnv: ["The same as `key_env`.", "none", "MY_KEY"],
  apiKeyEnv: ["The same as `key_env`.", "none", "MY_KEY"],
  api_key: ["The key itself; better in `.env`.", "none", "a-key"],
  cloud_domains: ["Domains of the cloud service beside the known ones.", "none", ["ai.example.net"]],
  prices: [
    "US dollars per million tokens, by model: `input`, `output`, `cache_read`, `cache_write`.",
    "list prices",
    { "gpt-5": { input: 1.25, output: 10 } },
  ],
  models: [
    "Models that can be chosen: names, or facts by name (those above, and `label`).",
    "what the endpoint lists",
    ["qwen3"],
  ],
  fallback: ["Models that stand in for a turn when the chosen one fails.", "none", ["local:llama3"]],
  providers: [
    "Further providers by name, with the keys of this table.",
    "none",
    { work: { kind: "messages" } },
  ],
  ...FACTS,
};

/** The keys of the webhook connector, under `platforms.webhook.extra`. */
export const WEBHOOK_WORDS: Readonly<Record<string, Words>> = {
  host: ["Address where it listens.", "0.0.0.0", "127.0.0.1"],
  port: ["Port where it listens.", "8644", 8700],
  secret: ["For routes without one; `WEBHOOK_SECRET` wins.", "none", "a-secret-of-16-or-more"],
  rate_limit: ["Calls in any 60 seconds, per route; 0 is any number.", "30", 60],
  max_body_bytes: ["Largest body of a call.", "1048576", 200000],
  agent_route: ["The built-in route `/webhooks/agent`.", "true", false],
  sync_timeout: ["Seconds that a caller who waits is kept waiting.", "600", 120],
  max_concurrent_runs: ["Runs at once; further calls wait.", "100", 4],
  callback_private: ["Callbacks may go to private addresses.", "true", false],
  persona: ["Persona of its sessions.", "none", "clerk"],
  callback_hosts: ["Hosts and networks that callbacks may go to besides.", "[]", ["ci.lan"]],
  routes: ["Routes by name, see below.", "none", { builds: { events: ["push"] } }],
};

/** The keys of one route of webhooks. */
export const ROUTE_WORDS: Readonly<Record<string, Words>> = {
  enabled: ["Takes calls.", "true", false],
  events: ["Event types that it takes.", "all", ["push"]],
  secret: ["Its own secret.", "the connector's", "a-secret-of-16-or-more"],
  prompt: [
    "What the agent is asked; `{a.b}` stands for the payload's values.",
    "the payload",
    "Review {pull_request.title}",
  ],
  skills: ["The first of these that exists is loaded.", "none", ["review"]],
  deliver: ["Where the answer goes.", "log", "telegram"],
  deliver_extra: ["The place there.", "the platform's home", { chat_id: "42" }],
  deliver_only: ["Delivers the prompt itself, without the agent.", "false", true],
  http_reply: ["The caller waits for the answer.", "false", true],
  toolsets: ["The tools of its sessions.", "those of webhooks", ["web"]],
};

/** The keys of a platform that texts are sent to, such as `platforms.telegram`. */
export const DELIVERY_WORDS: Readonly<Record<string, Words>> = {
  enabled: ["Switches it on.", "false", true],
  base_url: ["Its address, where it is not the vendor's.", "the vendor's", "https://chat.example.org"],
  token: ["Its token; better in `.env`.", "its variable", "a-token"],
  home_channel: ["Where texts go that name no place.", "none", "-1001234"],
  host: ["Server of mail.", "none", "smtp.example.org"],
  port: ["Port of mail.", "587", 465],
  secure: ["TLS from the first byte.", "on port 465", true],
  user: ["Login of mail.", "none", "agent"],
  from: ["Sender of mail and texts.", "none", "agent@example.org"],
  account_sid: ["Account of texts to phones.", "none", "AC0123"],
};

/** The keys of one server in `mcp_servers`. */
export const MCP_WORDS: Readonly<Record<string, Words>> = {
  command: ["The program that starts it; or `url`.", "none", "npx"],
  args: ["Its arguments; `${NAME}` stands for a variable.", "[]", ["-y", "some-server"]],
  env: ["Variables that it gets.", "none", { TOKEN: "${MY_TOKEN}" }],
  cwd: ["The folder where it starts.", "the current one", "~/work"],
  sandbox: ["It runs in the sandbox, as commands do.", "false", true],
  url: ["Where it is, over HTTP.", "none", "https://mcp.example.org/mcp"],
  transport: ["How it is reached.", "http with `url`, else stdio", "sse"],
  type: ["The same as `transport`.", "none", "sse"],
  headers: ["Headers of requests.", "none", { authorization: "Bearer ${MY_TOKEN}" }],
  oauth: [
    "For `agent mcp login`: `client_id` and `client_secret` where the service registers no programs by itself, `scope`, `callback_port`.",
    "none",
    { client_id: "a1b2c3" },
  ],
  enabled: ["It is used.", "true", false],
  timeout: ["Seconds for one call.", "300", 60],
  connect_timeout: ["Seconds until it must be there.", "60", 10],
  sampling: ["It may ask the model.", "false", true],
  tools: [
    "`include` or `exclude` names; `resources` and `prompts` switch those off.",
    "all",
    { exclude: ["delete_file"] },
  ],
};

/** Keys of blocks that their readers check by themselves, by path. */
export const OTHER_WORDS: Readonly<Record<string, Words>> = {
  "personalities.<name>": ["Instructions; `/personality <name>` chooses them.", "none", "Be very brief."],
  "personas.<name>": [
    "`instructions`, `model`, `toolsets`, `skills`, `collections`, `budget`: what a session answers as.",
    "none",
    { instructions: "Answer as the front desk.", toolsets: ["web"] },
  ],
  "quick_commands.<name>": [
    "`command` runs a line in the shell; `type: alias` with `target` is another name.",
    "none",
    { command: "npm test" },
  ],
  "skins.<name>": [
    "`colors`, `branding`, `banner_logo`, `banner_hero`, `tool_prefix`, `help_header`.",
    "none",
    { tool_prefix: ">" },
  ],
  "terminal.cwd": ["The folder where sessions begin.", "the current one", "~/work"],
  "terminal.variables": ["Variables that commands may see beside the usual ones.", "[]", ["NPM_TOKEN"]],
};

/** Examples of keys whose schema has description and default, where none can be made of these. */
export const EXAMPLES: Readonly<Record<string, unknown>> = {
  "agent.prompt": "Answer in German.",
  "people.owner": "+49 151 23456789",
  "agent.persona": "desk",
  "platforms.api_server.extra.persona": "desk",
  "approvals.allowed": ["npm run build"],
  "approvals.denied": ["git push *"],
  "cluster.advertise": "http://10.0.0.5:8646",
  "cluster.listen": "0.0.0.0:8646",
  "cluster.secret": "${AGENT_CLUSTER_SECRET}",
  "delegation.model": "local:llama3",
  "display.personality": "brief",
  "display.skin": "plain",
  "fleet.instance": "berlin-1",
  "fleet.panel_url": "https://fleet.example.org",
  "front.port": 443,
  "store.url": "postgres://agent@db.internal/agent",
  "store.listen_url": "postgres://agent@db-direct.internal/agent",
  "gateway.allowed_hosts": ["agent.example.org"],
  "gateway.allowed_origins": ["https://app.example.org"],
  "front.dashboard": true,
  "deployment.licence_key": "MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=",
  "platforms.dashboard.extra.allowed_hosts": ["agent.example.org"],
  "platforms.dashboard.extra.openid.issuer": "https://login.example.com/realms/team",
  "platforms.dashboard.extra.openid.client_id": "agent-dashboard",
  "platforms.dashboard.extra.openid.claim": "realm_access.roles",
  "platforms.dashboard.extra.openid.value": "agent-operators",
  "platforms.dashboard.extra.openid.scope": "openid email groups",
  "platforms.api_server.extra.allowed_hosts": ["agent.example.org"],
  "platforms.api_server.extra.cors_origins": ["https://app.example.org"],
  "platforms.api_server.extra.model_name": "agent",
  profile: "work",
  "skills.disabled": ["release-notes"],
  "skills.folders": ["~/skills"],
  timezone: "Europe/Berlin",
  toolsets: { cli: ["files", "terminal"] },
  "web.private_hosts": ["wiki.lan"],
  "web.search.key_env": "MY_SEARCH_KEY",
  "web.search.provider": "brave",
  "web.search.url": "http://localhost:8888",
};
