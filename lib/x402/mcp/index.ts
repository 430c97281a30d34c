export type { ClaimStore } from "../paywall/claim-store.ts";
export type { PaidContext } from "../paywall/decision.ts";
export { type PaidToolOptions, paidTool, type ToolCall } from "./paid-tool.ts";
export { type PayingMcpClient, type PayingMcpOptions, payingMcpClient } from "./paying-mcp-client.ts";
export type { PaymentResult, ToolResult } from "./tool-result.ts";
