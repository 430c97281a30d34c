import { getIronSession, type SessionOptions } from "iron-session";
import { REFRESH_BODY_BYTES } from "../contract/limits.ts";
import { RefreshRequest } from "../contract/requests.ts";
import { readJsonBody, validate } from "../http/validate.ts";
import { deriveSecret, type Secret } from "../secret.ts";

const COOKIE = "session";

export type SessionCookie = {
  /** Id of the login session in the request's cookie, null when there is none of ours. */
  read(request: Request): Promise<string | null>;
  write(request: Request, response: Response, sessionId: string): Promise<void>;
  clear(request: Request, response: Response): Promise<void>;
};

/** The sealed cookie `session` of browsers that logged in. */
export function createSessionCookie(settings: {
  secret: Secret;
  lifetimeSeconds: number;
  isSecure: boolean;
}): SessionCookie {
  const options: SessionOptions = {
    cookieName: COOKIE,
    password: Buffer.from(deriveSecret(settings.secret, "session cookie")).toString("hex"),
    ttl: settings.lifetimeSeconds,
    cookieOptions: { httpOnly: true, sameSite: "lax", path: "/", secure: settings.isSecure },
  };
  const open = (request: Request, response: Response) =>
    getIronSession<{ id?: string }>(request, response, options);

  return {
    async read(request) {
      const { id } = await open(request, new Response());
      return typeof id === "string" ? id : null;
    },
    async write(request, response, sessionId) {
      const session = await open(request, response);
      session.id = sessionId;
      await session.save();
    },
    async clear(request, response) {
      const session = await open(request, response);
      session.destroy();
    },
  };
}

/**
 * The refresh token in a body that may be missing altogether: browsers have the session cookie instead.
 * @throws CodedError for a body that is there and wrong.
 */
export async function readRefreshToken(request: Request): Promise<string | undefined> {
  if (!request.headers.has("content-type")) return undefined;
  return validate(RefreshRequest, await readJsonBody(request, REFRESH_BODY_BYTES)).refreshToken ?? undefined;
}
