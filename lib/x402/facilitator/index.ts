export { createHiveClient, type HiveClient } from "../../hive/client.ts";
export type { Change, Store } from "../../store/store.ts";
export type { HealthResponse, SupportedResponse } from "../types.ts";
export {
  createFacilitator,
  type HiveFacilitator,
} from "./create-facilitator.ts";
export { FacilitatorError, type FacilitatorErrorCode } from "./facilitator-error.ts";
export type { FacilitatorOptions, PaymentAnswer, SettlementEvent, SettleOptions } from "./options.ts";
export type { Reason } from "./reasons.ts";
export type { Settlement } from "./settlement.ts";
export { createFacilitatorHandlers, type FacilitatorHandlers } from "./web-handlers.ts";
