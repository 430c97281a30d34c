export type { HiveAuthQuestion } from "./ask-hiveauth.ts";
export { type AskedAccount, ecencyGatewayLink, hivesignerGatewayLink } from "./code-sign-in.ts";
export { type EcencyAnswer, ecencySignInLink, ecencyTransferLink, type Transfer } from "./ecency-links.ts";
export {
  type HiveLinkOptions,
  hiveMessageLink,
  hiveOperationLink,
  hiveTransactionLink,
  type Operation,
} from "./hive-links.ts";
export { HiveAuthError } from "./hiveauth-error.ts";
export { type HiveAuthRequest, hiveAuthLink } from "./hiveauth-links.ts";
export { hivesignerOperationLink, hivesignerSignInLink } from "./hivesigner-links.ts";
export { type HiveAuthTransferOptions, sendTransferByHiveAuth } from "./send-transfer-by-hiveauth.ts";
export { type HiveAuthOptions, signByHiveAuth } from "./sign-by-hiveauth.ts";
export {
  hiveTransferLink,
  type LinkedTransfer,
  type TransferWallet,
  transferLinks,
  walletNames,
} from "./transfer-links.ts";
export { keychainSignInLink, type LinkChallenge, walletAnswerUrl } from "./wallet-sign-in.ts";
