import { ChatError } from "./request.ts";

/** `localhost:3000` of `http://localhost:3000/path`, without the scheme's own port; no `URL`, which React Native lacks. */
function hostOf(address: string): string | undefined {
  const [, scheme, host] = /^(https?):\/\/([^/?#]*)/.exec(address.toLowerCase()) ?? [];
  return host?.replace(scheme === "https" ? /:443$/ : /:80$/, "");
}

/** The names of the machine itself; a port is no more of an identity than they are. */
const isLoopback = (host: string | undefined) =>
  host !== undefined && /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/.test(host);

/**
 * Ensures that a text to be signed is a login challenge of that host for that account. A server that relays the
 * challenge of another site, or has a token for it signed, would be let in there.
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

/** The fields that say what a signature is for, of the one spelling that a challenge has. */
function read(message: string): { type: unknown; app: unknown; author: unknown } | null {
  try {
    const challenge = JSON.parse(message);
    // A key that stands twice would mean one thing here and another where the signature is read.
    if (JSON.stringify(challenge) !== message) return null;
    const { type, app } = challenge.signed_message;
    const [author, ...others] = challenge.authors;
    return others.length > 0 ? null : { type, app, author };
  } catch {
    // No JSON, or none of that shape.
    return null;
  }
}
