import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { z } from "zod";
import { CodedError, hasCode, nullOn } from "../../errors.ts";
import { PAT_COOKIE, PAT_COOKIE_SECONDS } from "../../http/token.ts";
import { log } from "../../log.ts";
import { isRefusal, MattermostRefusal } from "../../mattermost/exchange.ts";
import type { MattermostCaller } from "../../mattermost/mattermost.ts";
import type { ServerStatus } from "../../mattermost/server-status.ts";
import {
  type AccessToken,
  createAccessToken,
  endOwnSession,
  listAccessTokens,
  listSessions,
  revokeAccessToken,
} from "../../mattermost/users.ts";
import { deriveSecrets, type Secret } from "../../secret.ts";
import type { Store } from "../../store/store.ts";

const Pat = z.object({ userId: z.string(), tokenId: z.string(), token: z.string() });
/** A personal access token of a chat user: the token itself, and the id by which Mattermost revokes it. */
export type Pat = z.infer<typeof Pat>;

const SignIn = Pat.extend({
  /** Identifies the access token that opened the sign-in; empty for the single token that earlier versions stored. */
  proof: z.string(),
  /** The posting key behind the access token, or null if no key proved it. */
  key: z.string().nullable(),
  /** The app that signed the access token. */
  app: z.string().optional(),
  /** The `User-Agent` of the bootstrap that opened the sign-in. */
  userAgent: z.string(),
  openedAtMs: z.number(),
  seenAtMs: z.number(),
});
/**
 * One sign-in of an account: its chat token, the proof and the device behind it, and the times (ms since
 * 1970) of its use.
 */
export type SignIn = z.infer<typeof SignIn>;

/** The sign-ins of an account, and the time (ms since 1970) before which all others were ended. */
type Content = { signIns: SignIn[]; endedBeforeMs: number };

const Content: z.ZodType<Content> = z.union([
  z.object({ signIns: z.array(SignIn), endedBeforeMs: z.number() }),
  Pat.transform((pat) => ({
    signIns: [{ ...pat, proof: "", key: null, userAgent: "", openedAtMs: 0, seenAtMs: 0 }],
    endedBeforeMs: 0,
  })),
]);
const nothing: Content = { signIns: [], endedBeforeMs: 0 };

/**
 * `sealed` is the text in the store, which reveals whether another process has written meanwhile. An entry
 * that cannot be decrypted has no sign-ins.
 */
export type VaultEntry = Content & { sealed: string | null };

export type PatVault = {
  read(username: string): Promise<VaultEntry>;
  /** Replaces `previous`. Returns false if another process wrote in the meantime. */
  write(username: string, previous: VaultEntry, content: Content): Promise<boolean>;
  /** Lists up to `limit` accounts with sign-ins. */
  listSignedIn(limit: number): Promise<string[]>;
  /**
   * Lists up to `limit` users with an entry, and the secret that decrypts each, or `none` for a lost entry.
   */
  list(limit: number): Promise<Array<{ username: string; under: "own" | "previous" | "none" }>>;
};

const PLACE = "pat:";
/** The key of the set of accounts with sign-ins. */
const SIGNED_IN = "signed-in";
const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Creates the access to the gateway's PATs, one per sign-in, encrypted (AES-256-GCM) in the store under a key
 * derived from the session secret. Reading an entry encrypted under the former secret encrypts it again under
 * the current one. An entry encrypted under any other secret, or one moved to another user's key, cannot be
 * decrypted and counts as lost.
 */
export function createPatVault(options: { store: Store; secret: Secret }): PatVault {
  const { store } = options;
  const [ownKey, ...formerKeys] = deriveSecrets(options.secret, "pat vault");
  const placeOf = (username: string) => PLACE + username;

  const seal = (place: string, { signIns, endedBeforeMs }: Content): string => {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv("aes-256-gcm", ownKey, iv).setAAD(Buffer.from(place));
    const content = Buffer.concat([
      cipher.update(JSON.stringify({ signIns, endedBeforeMs }), "utf8"),
      cipher.final(),
    ]);
    return Buffer.concat([iv, content, cipher.getAuthTag()]).toString("base64url");
  };

  const openWith = (key: Uint8Array, place: string, sealed: string): Content | null => {
    try {
      const bytes = Buffer.from(sealed, "base64url");
      const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, IV_BYTES), {
        authTagLength: TAG_BYTES,
      });
      decipher.setAAD(Buffer.from(place)).setAuthTag(bytes.subarray(-TAG_BYTES));
      const content = decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES));
      return Content.parse(JSON.parse(Buffer.concat([content, decipher.final()]).toString("utf8")));
    } catch {
      // The text was encrypted under another secret or key, or is damaged: the entry is lost, and the next
      // bootstrap replaces it.
      return null;
    }
  };

  const open = (place: string, sealed: string): { content: Content; under: "own" | "previous" | "none" } => {
    const content = openWith(ownKey, place, sealed);
    if (content) return { content, under: "own" };
    const former = formerKeys.map((key) => openWith(key, place, sealed)).find((opened) => opened !== null);
    return former ? { content: former, under: "previous" } : { content: nothing, under: "none" };
  };

  const read = async (username: string): Promise<VaultEntry> => {
    const place = placeOf(username);
    const sealed = await store.get(place);
    if (sealed === null) return { ...nothing, sealed };
    const { content, under } = open(place, sealed);
    if (under !== "previous") return { ...content, sealed };
    const resealed = seal(place, content);
    // If another process wrote in the meantime, the other entry stays.
    return (await store.replace(place, sealed, resealed)) ? { ...content, sealed: resealed } : read(username);
  };

  return {
    read,
    async write(username, previous, content) {
      const place = placeOf(username);
      return store.commit({
        expect: [[place, previous.sealed]],
        set: [[place, seal(place, content)]],
        scores: [[SIGNED_IN, username, content.signIns.length > 0 ? 0 : null]],
      });
    },
    listSignedIn: (limit) => store.range(SIGNED_IN, 0, limit),
    async list(limit) {
      const entries = await store.list(PLACE, limit);
      return entries.map(({ key, value }) => ({
        username: key.slice(PLACE.length),
        under: open(key, value).under,
      }));
    },
  };
}

/**
 * Mattermost does not report when a token was created, so the gateway writes the time into the token's
 * description.
 */
const MARK = "hivegate chat ";
const MOST_KEPT = 5;

/** Returns when a token was created (ms since 1970), from its description; null if no gateway created it. */
export function madeAtOf(description: string): number | null {
  return description.startsWith(MARK) ? Date.parse(description.slice(MARK.length)) || 0 : null;
}

/** Lists the tokens that a gateway created for the user, oldest first. */
export async function listGatewayPats(admin: MattermostCaller, userId: string): Promise<AccessToken[]> {
  const own = (await listAccessTokens(admin, userId)).filter(
    ({ description }) => madeAtOf(description) !== null,
  );
  return own.sort((one, two) => compare(one.description, two.description));
}

const compare = (one: string, two: string) => (one < two ? -1 : Number(one > two));

/**
 * Creates a token for the user. @throws CodedError `chat_token_refused` if Mattermost has access tokens
 * disabled
 */
export async function mintPat(admin: MattermostCaller, userId: string): Promise<Pat> {
  try {
    const made = await createAccessToken(admin, userId, MARK + new Date().toISOString());
    return { userId, tokenId: made.id, token: made.token };
  } catch (error) {
    throw isRefusal(error, "app.user_access_token.disabled") ? tokenRefused(error) : error;
  }
}

/**
 * Revokes the gateway's oldest tokens for the user that are not in `kept`, so that up to five remain,
 * including a new one. Such tokens come from a lost store, and no list of sign-ins shows them.
 */
export async function revokeOldestPats(
  admin: MattermostCaller,
  userId: string,
  kept: readonly string[],
): Promise<void> {
  const pats = (await listGatewayPats(admin, userId)).filter(({ id }) => !kept.includes(id));
  const surplus = pats.slice(0, Math.max(0, pats.length - (MOST_KEPT - 1)));
  await Promise.all(surplus.map(({ id }) => revokePat(admin, id)));
}

/** Revokes a token; succeeds if it no longer exists. */
export async function revokePat(admin: MattermostCaller, tokenId: string): Promise<void> {
  await nullOn(revokeAccessToken(admin, tokenId), "not_found");
}

const ATTEMPTS = 3;

/**
 * Revokes a token that the gateway did not create. To find out which of the user's tokens it is, signs out
 * with the token and sees which session disappears. If that session has no personal access token, it has
 * already ended.
 * @throws CodedError `overloaded` while other sessions of the user end at the same time
 */
export async function revokeUnknownToken(
  admin: MattermostCaller,
  caller: MattermostCaller,
  userId: string,
): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const before = await listAsCaller(caller, userId, attempt);
    if (before === null) return;
    await endOwnSession(caller);
    const left = new Set((await listSessions(admin, userId)).map(({ id }) => id));
    const [ended, ...others] = before.filter(({ id }) => !left.has(id));
    if (!ended || others.length > 0) continue;
    const tokenId = ended.props?.user_access_token_id;
    if (tokenId !== undefined) await revokePat(admin, tokenId);
    return;
  }
  throw new CodedError("overloaded");
}

/**
 * Lists the user's sessions with the token itself, which ensures that the token has one. Returns null if an
 * earlier attempt already ended the token for good.
 */
async function listAsCaller(caller: MattermostCaller, userId: string, attempt: number) {
  try {
    return await listSessions(caller, userId);
  } catch (error) {
    if (attempt > 0 && hasCode(error, "unauthorized")) return null;
    throw error;
  }
}

/** Returns the `Set-Cookie` line that sets the PAT in a browser. An empty PAT removes the cookie. */
export function patCookie(pat: string, isSecure: boolean): string {
  const maxAge = pat === "" ? 0 : PAT_COOKIE_SECONDS;
  const secure = isSecure ? "; Secure" : "";
  return `${PAT_COOKIE}=${pat}; Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Lax${secure}`;
}

/**
 * Creates the error to throw if Mattermost creates no tokens or refuses the service's token; the log says how
 * to fix it.
 */
export function tokenRefused(cause: unknown): CodedError {
  log().error(
    { code: "chat_token_refused" },
    "Mattermost refuses CHAT_ADMIN_TOKEN or the creation of tokens: turn on ServiceSettings.EnableUserAccessTokens there (System Console > Integrations), or create a new token; npm run doctor says which",
  );
  return new CodedError("chat_token_refused", { cause });
}

/**
 * Names the service's own token as the cause of a failure. Mattermost answers as if it had never seen the
 * token both while personal access tokens are switched off and while its database is down. Other errors are
 * returned unchanged.
 */
export async function explainRefusal(
  serverStatus: () => Promise<ServerStatus>,
  error: unknown,
): Promise<unknown> {
  if (!hasCode(error, "backend_unreachable")) return error;
  if (!(error.cause instanceof MattermostRefusal) || error.cause.status !== 401) return error;
  try {
    if (!(await serverStatus()).isDatabaseUp) return error;
  } catch {
    return error;
  }
  return tokenRefused(error.cause);
}
