/** The page that `/docs` opens. */
export const FIRST = "first-sale";

/** The docs in the order in which newcomers read them, by their name in the address. */
export const contents: Readonly<Record<string, string>> = {
  [FIRST]: "First sale",
  "first-agent": "First agent",
  agents: "Agents and MCP",
  extend: "Build in this app",
  chat: "Chat",
  "chat-client": "Chat client",
  "phone-sign-in": "Sign in and pay with a phone",
  payments: "Payments",
  "official-packages": "Official packages",
  "coming-from-x402": "From @hiveio/x402",
  operations: "Operations",
  scale: "Scale",
  performance: "Performance",
  architecture: "Architecture",
  decisions: "Decisions",
};
