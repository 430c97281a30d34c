export type { BudgetStore } from "../x402/client/index.ts";
export {
  type AskingFetch,
  type AskingFetchOptions,
  createAskingFetch,
  type PaymentQuestion,
  type Unfinished,
} from "./asking-fetch.ts";
export type { ApprovalChat } from "./chat.ts";
