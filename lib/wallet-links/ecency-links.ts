export type Transfer = {
  from?: string;
  to: string;
  /** Such as `0.050 HBD`. */
  amount: string;
  memo?: string;
};

/** The address that Ecency opens afterwards, by https, and an id that it repeats there. */
export type EcencyAnswer = { callback?: string; requestId?: string };

/**
 * Creates a link that asks Ecency Mobile to sign its user in. The callback gets `status`, and with `success` also
 * `username` and `code`, a proof signed by the account for the callback's origin.
 */
export const ecencySignInLink = (
  request: Required<Pick<EcencyAnswer, "callback">> & EcencyAnswer & { account?: string },
): string => {
  const { callback, requestId, account } = request;
  return ecencyLink("auth-request", { callback, request_id: requestId, username: account });
};

/** Creates a link that has Ecency Mobile send a transfer. The callback gets `status` and the transaction's `id`. */
export function ecencyTransferLink(
  { from, to, amount, memo }: Transfer,
  { callback, requestId }: EcencyAnswer = {},
): string {
  const [value, asset] = amount.split(" ");
  return ecencyLink("transfer", { to, from, asset, amount: value, memo, callback, request_id: requestId });
}

function ecencyLink(action: string, fields: Readonly<Record<string, string | undefined>>): string {
  const pairs = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : `${name}=${encodeURIComponent(value)}`,
  );
  return `ecency://${action}?${pairs.join("&")}`;
}
