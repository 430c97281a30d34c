export { type AskedAccount, ecencyGatewayLink, hivesignerGatewayLink } from "./code-sign-in.ts";
export { type EcencyAnswer, ecencySignInLink, ecencyTransferLink, type Transfer } from "./ecency-links.ts";
export {
  type HiveLinkOptions,
  hiveMessageLink,
  hiveOperationLink,
  hiveTransactionLink,
  type Operation,
} from "./hive-links.ts";
export { type HiveAuthRequest, hiveAuthLink } from "./hiveauth-links.ts";
export { hivesignerOperationLink, hivesignerSignInLink } from "./hivesigner-links.ts";
export {
  HiveAuthError,
  type HiveAuthOptions,
  type HiveAuthQuestion,
  signByHiveAuth,
} from "./sign-by-hiveauth.ts";
export {
  hiveTransferLink,
  type LinkedTransfer,
  type TransferWallet,
  transferLinks,
  walletNames,
} from "./transfer-links.ts";
export { keychainSignInLink, type LinkChallenge, walletAnswerUrl } from "./wallet-sign-in.ts";
