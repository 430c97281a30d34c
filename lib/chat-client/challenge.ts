import { ChatError } from "./request.ts";

/**
 * Returns `localhost:3000` for `http://localhost:3000/path`, without the scheme's default port. It does not use `URL`,
 * which React Native lacks.
 */
function hostOf(address: string): string | undefined {
  const [, scheme, host] = /^(https?):\/\/([^/?#]*)/.exec(address.toLowerCase()) ?? [];
  return host?.replace(scheme === "https" ? /:443$/ : /:80$/, "");
}

/** Loopback names identify no host, and neither does a port. */
const isLoopback = (host: string | undefined) =>
  host !== undefined && /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/.test(host);

/**
 * Ensures that a text to sign is a login challenge of the given host for the given account. Otherwise a
 * server could have another site's challenge or token signed, and sign in there.
 * @throws ChatError `unreadable`
 */
export function assertChallenge(
  message: string,
  expected: { username: string; baseUrl: string; host?: string | undefined },
): void {
  const { username, baseUrl } = expected;
  const wanted = expected.host?.toLowerCase() ?? hostOf(baseUrl);
  const challenge = read(message);
  const named = typeof challenge?.app === "string" ? challenge.app.toLowerCase() : undefined;
  const isHere = named !== undefined && (named === wanted || (isLoopback(named) && isLoopback(wanted)));
  if (challenge?.type === "login" && challenge.author === username && isHere) return;
  throw new ChatError({
    code: "unreadable",
    status: 200,
    message: `The server wants something else signed than a login at ${wanted}. If it is reached by another address than its own, set PUBLIC_URL there, or \`host\` of the login here.`,
  });
}

/**
 * Reads the fields that state the purpose of a signature, or returns null for a spelling that no challenge
 * uses.
 */
function read(message: string): { type: unknown; app: unknown; author: unknown } | null {
  try {
    const challenge = JSON.parse(message);
    // A duplicate key could mean one thing here and another where the signature is checked.
    if (JSON.stringify(challenge) !== message) return null;
    const { type, app } = challenge.signed_message;
    const [author, ...others] = challenge.authors;
    return others.length > 0 ? null : { type, app, author };
  } catch {
    // The message is not JSON, or does not have the fields of a challenge.
    return null;
  }
}
