/** The levels of docs/architecture.md as rules: a file imports only from levels below its own. */
const layer = (name, from, to, except) => ({
  name,
  severity: "error",
  from: { path: from },
  to: except ? { path: to, pathNot: except } : { path: to },
});

/** The folders of the pages, each of which uses only itself and the folders before it. */
const pageFolders = ["_ui", "_wire", "_session", "_pay", "_chat"];
const pageRules = pageFolders.map((folder, index) =>
  layer(
    `pages${folder}-uses-those-before-it`,
    `^app/\\(demo\\)/${folder}/`,
    "^app/\\(demo\\)/",
    `^app/\\(demo\\)/(${pageFolders.slice(0, index + 1).join("|")})/`,
  ),
);

/**
 * The rooms of the chat, each of which uses only itself and the rooms before it, except that all of them use
 * `strings.en.ts`.
 */
const chatRooms = [
  "emoji",
  "data",
  "",
  "people",
  "list",
  "media",
  "composer",
  "message",
  "sidebar",
  "timeline",
  "search",
  "shell",
  "thread",
  "channel",
];
const inChat = (room) => (room === "" ? "[^/]+$" : `${room}/`);
const chatRules = chatRooms.map((room, index) =>
  layer(
    `chat-${room || "root"}-uses-the-rooms-before-it`,
    `^app/\\(demo\\)/_chat/${inChat(room)}`,
    "^app/\\(demo\\)/_chat/",
    `^app/\\(demo\\)/_chat/(strings\\.en\\.ts$|${chatRooms
      .slice(0, index + 1)
      .map(inChat)
      .join("|")})`,
  ),
);

/** The rooms of `lib/chat`, each of which uses only itself and the rooms before it. */
const libChatRooms = [
  "access",
  "caller",
  "bootstrap-notes",
  "people",
  "channels",
  "posts",
  "media",
  "bootstrap",
  "websocket",
];
const libChatRules = libChatRooms.map((room, index) =>
  layer(
    `lib-chat-${room}-uses-the-rooms-before-it`,
    `^lib/chat/${room}/`,
    "^lib/chat/",
    `^lib/chat/(${libChatRooms.slice(0, index + 1).join("|")})/`,
  ),
);

module.exports = {
  forbidden: [
    ...pageRules,
    ...chatRules,
    ...libChatRules,
    { name: "no-circles", severity: "error", from: {}, to: { circular: true } },
    layer(
      "lib-knows-no-app",
      "^lib/",
      "^(app|sandbox|tests)/|^(server|middleware|instrumentation|instrumentation-client)\\.ts$",
    ),
    layer("only-the-server-starts-the-sandbox", "^(app|lib)/", "^sandbox/"),
    layer("nothing-imports-tests", "^(app|lib|sandbox)/|^server\\.ts$", "^tests/"),
    layer("sandbox-stands-alone", "^sandbox/", "^(app|lib/(chat|auth|contract|http|mattermost|x402|cli))"),
    layer(
      "level-0",
      "^lib/((blank-text|chains|colours|errors|host-with-port|mattermost-id|mention-words|mils|secret|source-address|timings)\\.ts$|async/)",
      "^lib/",
      "^lib/((blank-text|chains|colours|errors|host-with-port|mattermost-id|mention-words|mils|secret|source-address|timings)\\.ts$|async/)",
    ),
    layer(
      "level-1",
      "^lib/(settings|config|log|metrics|tracing|env-file|facilitator-config|refund-config|worker-metrics)\\.ts$",
      "^lib/",
      "^lib/((blank-text|chains|colours|errors|host-with-port|key-file|mattermost-id|mention-words|mils|secret|timings|settings|config|log|metrics|tracing|env-file|facilitator-config|refund-config|worker-metrics)\\.ts$|async/)",
    ),
    layer(
      "http-knows-no-business",
      "^lib/http/",
      "^lib/(store|hive|mattermost|x402|auth|chat|services|demo-shop|cli|contract)/",
    ),
    layer(
      "store-stands-alone",
      "^lib/store/",
      "^lib/(http|hive|mattermost|x402|auth|chat|services|demo-shop|cli|contract)/",
    ),
    layer("hive-stands-alone", "^lib/hive/", "^lib/", "^lib/(hive/|async/|(chains|errors|mils)\\.ts)"),
    layer("outside-stands-alone", "^lib/outside/", "^lib/", "^lib/(outside/|async/|errors\\.ts)"),
    layer(
      "mattermost-stands-alone",
      "^lib/mattermost/",
      "^lib/",
      "^lib/(mattermost/|async/|(errors|mattermost-id|secret)\\.ts)",
    ),
    layer(
      "x402-takes-only-hive",
      "^lib/x402/",
      "^lib/",
      "^lib/(x402/|hive/|wallet-links/|(chains|colours|errors|host-with-port|mils|secret)\\.ts|async/|outside/fetch-outside\\.ts|store/(store|lease|lazy-store|redis-store|sqlite-store)\\.ts)",
    ),
    layer(
      "contract-describes-and-does-nothing",
      "^lib/contract/",
      "^lib/",
      "^lib/(contract/|(blank-text|errors|mattermost-id|mils)\\.ts|hive/account-name\\.ts|http/(rate-limit|request-rules|token|validate)\\.ts|x402/(schemas|discovery/(listing|queries)|facilitator/(read-request|reasons)|client/payment-error|paywall/refusals)\\.ts)",
    ),
    layer(
      "publishing-stands-alone",
      "^lib/publish/",
      "^(app|lib|sandbox)/",
      "^lib/(publish/|(colours|source-address)\\.ts$)",
    ),
    layer("wallet-links-stand-alone", "^lib/wallet-links/", "^(app|lib|sandbox)/", "^lib/wallet-links/"),
    layer("init-stands-alone", "^lib/init/", "^(app|lib|sandbox)/", "^lib/init/"),
    layer(
      "approvals-take-the-paying-client-and-the-chat",
      "^lib/approvals/",
      "^(app|lib|sandbox)/",
      "^lib/(approvals/|async/|chat-client/index|errors|mils\\.ts|x402/(client/|memory-store|paywall/posting-account)|hive/account-name)",
    ),
    layer(
      "the-wallet-takes-the-paying-client-and-approvals",
      "^lib/wallet/",
      "^(app|lib|sandbox)/",
      "^lib/(wallet/|approvals/|chat-client/index|async/|mils\\.ts|x402/(client/|sandbox|hosts)|hive/(account-name|private-key|sign-in))",
    ),
    layer(
      "the-command-runs-init-and-wallet",
      "^lib/command/",
      "^(app|lib|sandbox)/",
      "^lib/(command|init|wallet)/",
    ),
    {
      ...layer(
        "nothing-imports-commands-of-the-library",
        "^(app|lib|sandbox)/",
        "^lib/(publish|init|wallet|command)/",
      ),
      from: { path: "^(app|lib|sandbox)/", pathNot: "^lib/(publish|init|wallet|command)/" },
    },
    layer("auth-and-chat-are-siblings", "^lib/auth/", "^lib/(chat|cli)"),
    layer("chat-and-auth-are-siblings", "^lib/chat/", "^lib/(auth|cli|x402)"),
    layer("services-are-handed-down", "^lib/(chat|auth)/", "^lib/(services|demo-shop)/"),
    layer("services-stand-below-the-doors", "^lib/services/", "^lib/(demo-shop|cli|chat-client)/"),
    layer(
      "the-shop-stands-on-the-services",
      "^lib/demo-shop/",
      "^lib/(auth|cli|hive|mattermost|outside|chat-client)/",
    ),
    layer("commands-know-no-shop", "^lib/cli/", "^lib/demo-shop/"),
    {
      name: "nothing-imports-commands",
      severity: "error",
      from: {
        path: "^(app|lib|sandbox)/|^(server|middleware|instrumentation|instrumentation-client)\\.ts$",
        pathNot: "^lib/cli/",
      },
      to: { path: "^lib/cli/" },
    },
    {
      // The process owns its log, metrics, tracing and settings, the state that Next's copies of a module share with
      // `server.ts`, and the memory of a paywall without a store.
      name: "nothing-else-holds-a-singleton",
      severity: "error",
      from: {
        path: "^(app|lib|sandbox)/|^(server|middleware|instrumentation|instrumentation-client)\\.ts$",
        pathNot:
          "^lib/((config|log|metrics|tracing)\\.ts$|http/(client-address|page-language)\\.ts$|services/process-services\\.ts$|x402/paywall/options\\.ts$)",
      },
      to: { path: "^lib/async/process-wide\\.ts$" },
    },
    {
      // The stores and chain clients of a command end with it, and those of the library belong to the seller.
      // A gateway creates its own once and passes them on.
      name: "stores-and-chain-clients-come-from-the-wiring",
      severity: "error",
      from: {
        path: "^(app|lib)/|^(server|middleware|instrumentation|instrumentation-client)\\.ts$",
        pathNot: "^lib/(services|cli|x402)/",
      },
      to: {
        path: "^lib/(store/open-store|hive/client|auth/authenticator|x402/facilitator/create-facilitator)\\.ts$",
        dependencyTypesNot: ["type-only"],
      },
    },
    {
      name: "pages-use-the-public-doors",
      severity: "error",
      from: {
        path: "^app/\\(demo\\)/",
        pathNot:
          "^app/\\(demo\\)/((reference|articles/\\[slug\\])/page|_landing/site-footer|_chat/shell/sent-look)\\.tsx$",
      },
      to: {
        path: "^lib/",
        pathNot:
          "^lib/(approvals/approval-text|x402/client/(index|watch-claims)|chat-client/(index|challenge)|wallet-links/(index|is-phone|last-wallet|qr-path)|contract/payment-answers|hive/private-key\\.ts|(async/cache|blank-text|chains|mattermost-id|mention-words|mils)\\.ts)",
      },
    },
    // The server renders the answer of `/api/openapi.json`, so that the page needs no script.
    layer(
      "the-reference-takes-the-document",
      "^app/\\(demo\\)/reference/page\\.tsx$",
      "^lib/",
      "^lib/(config|contract/openapi)\\.ts$",
    ),
    layer(
      "the-footer-takes-where-the-source-is",
      "^app/\\(demo\\)/_landing/site-footer\\.tsx$",
      "^lib/",
      "^lib/(config|source-address)\\.ts$",
    ),
    // The head of an article's page describes it to other sites that link to it.
    layer(
      "an-article-takes-its-offer",
      "^app/\\(demo\\)/articles/\\[slug\\]/page\\.tsx$",
      "^lib/",
      "^lib/(config|demo-shop/(articles|payee))\\.ts$",
    ),
    {
      name: "chat-client-stands-alone",
      severity: "error",
      from: { path: "^lib/chat-client/" },
      to: { pathNot: "^lib/chat-client/", dependencyTypesNot: ["type-only"] },
    },
    {
      // The library holds no session, account, record or route of the app.
      name: "the-published-panel-holds-only-itself",
      severity: "error",
      from: { path: "^app/\\(demo\\)/_session/published-panel\\.tsx$" },
      to: {
        path: "^app/",
        pathNot:
          "^app/(_languages/es/session\\.ts$|\\(demo\\)/(_reference/strings\\.en|_ui/(button|focus-on-arrival|kept-text|language|load-part|notice|opener|strings\\.en|text-field)|_session/(asked-wallet|elsewhere-wait|gateway|key-error|keychain|problem-texts\\.en|qr-code|sign-at-relay|sign-in-failure|sign-in-form|sign-in-ways|strings\\.en|typed-name|unavailable|use-sign-in|wallet-elsewhere|wallet-strings\\.en|wallet-wait|way|way-picture|wallets-here|published-panel))\\.tsx?$)",
        reachable: true,
      },
    },
    {
      name: "pages-know-no-routes",
      severity: "error",
      // The messages sent with the page are the answer of their route.
      from: { path: "^app/\\(demo\\)/", pathNot: "^app/\\(demo\\)/_chat/shell/sent-look\\.tsx$" },
      to: { path: "^app/api/" },
    },
    {
      name: "dhive-in-the-sandbox-alone",
      severity: "error",
      from: { path: "^(app|lib)/|^server\\.ts$" },
      to: { path: "node_modules/@hiveio/dhive" },
    },
    {
      name: "next-at-its-places",
      severity: "error",
      from: {
        path: "^(lib|sandbox|app/.*route\\.ts$)",
        pathNot: "^lib/(services/(ask-route|get-session)|http/next-guard)\\.ts$",
      },
      to: { path: "node_modules/next/" },
    },
    {
      name: "frameworks-in-their-adapters",
      severity: "error",
      from: { path: "^(lib|app)/", pathNot: "^lib/x402/(express|hono|fastify)\\.ts$" },
      to: { path: "node_modules/(hono|fastify|express|@types/express)/" },
    },
    {
      name: "no-dev-dependency-in-the-product",
      severity: "error",
      // The code that builds the library and the scripts of pages is not part of them.
      from: {
        path: "^(app|lib|sandbox)/|^(server|middleware|instrumentation|instrumentation-client)\\.ts$",
        pathNot: [
          "^lib/(publish|wallet)/|^lib/cli/built-scripts\\.ts$",
          "^app/service-worker/build\\.mjs$|^app/\\(demo\\)/_chat/list/only-virtualizer\\.mjs$",
        ],
      },
      to: {
        dependencyTypes: ["npm-dev"],
        dependencyTypesNot: ["type-only"],
        pathNot: "node_modules/@types/",
      },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    tsConfig: { fileName: "tsconfig.json" },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "require", "node", "default", "types"],
    },
  },
};
