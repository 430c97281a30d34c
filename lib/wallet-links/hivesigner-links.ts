import type { Operation } from "./hive-links.ts";

const HIVESIGNER = "https://hivesigner.com";

/**
 * Creates the address at which HiveSigner asks its user to sign in to an app. It returns to `redirectUri` with
 * `username`, `state` and `code`, an access token that the account has signed for the app.
 */
export function hivesignerSignInLink(request: {
  /** The app's account at HiveSigner. */
  app: string;
  /** One of the addresses that the app's account names. */
  redirectUri: string;
  /** An unguessable text, compared when the page is opened again. */
  state: string;
  account?: string;
}): string {
  const { app, redirectUri, state, account } = request;
  return withQuery("/oauth2/authorize", {
    client_id: app,
    redirect_uri: redirectUri,
    response_type: "code",
    scope: "login",
    state,
    account,
  });
}

/**
 * Creates the address at which HiveSigner signs and sends an operation. It then opens `redirectUri` with the
 * transaction's `id`.
 */
export function hivesignerOperationLink(
  [name, fields]: Operation,
  { redirectUri }: { redirectUri?: string } = {},
): string {
  const texts = Object.entries(fields).map(([field, value]) => [
    field,
    typeof value === "string" ? value : JSON.stringify(value),
  ]);
  return withQuery(`/sign/${name}`, { ...Object.fromEntries(texts), redirect_uri: redirectUri });
}

function withQuery(path: string, fields: Readonly<Record<string, string | undefined>>): string {
  const pairs = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : `${name}=${encodeURIComponent(value)}`,
  );
  return `${HIVESIGNER}${path}?${pairs.join("&")}`;
}
