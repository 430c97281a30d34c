import type { RefreshRequest } from "../contract/login.ts";
import type { BootstrapRequest } from "../contract/requests.ts";
import type { Bootstrap, Me } from "./answers.ts";
import { camelCased } from "./camel-cased.ts";
import type {
  Challenge,
  RenewedTokens,
  SignedChallenge,
  Tokens,
  WalletChallenge,
  WalletLogin,
} from "./login.ts";
import {
  type Call,
  type CallOptions,
  type Carrier,
  ChatError,
  createRequest,
  type Fetch,
  type Request,
  shareWork,
} from "./request.ts";

/** The input of bootstrap: the account, its access token and optionally a community to join. */
export type Login = { username: string; accessToken: string; community?: string };

/** An account that authenticates at the gateway's own login. */
export type Signer = {
  username: string;
  /** Signs the SHA-256 of a text with the account's posting key; resolves to the signature in hex. */
  sign: (message: string) => string | Promise<string>;
  /** Host and port of the gateway's `PUBLIC_URL`, if `baseUrl` differs from it. */
  host?: string;
  community?: string;
};

export type SessionOptions = {
  /** The gateway's address, such as `https://chat.example.com`. */
  baseUrl: string;
  /** A chat token from an earlier bootstrap. */
  token?: string;
  /**
   * Authenticates the account with its posting key, or with an access token from any issuer. Used if there is no token,
   * and again when the token is refused. The signal aborts once no one waits for it.
   */
  login?: Signer | ((given: { auth: Auth; signal: AbortSignal }) => Promise<Login>);
  /** Default `bearer`. */
  carrier?: Carrier;
  /** Called with every new chat token, to store it for the next start. */
  onToken?: (token: string) => void;
  fetch?: Fetch;
  /** Timeout of one request in milliseconds; default 30,000. */
  timeoutMs?: number;
};

export type SignInOptions = CallOptions & {
  /** Signs in to this account instead of the one in `login`. */
  as?: Login;
};

/** The client's session at the gateway: sends its requests, and signs in again once if the token is refused. */
export type ChatSession = {
  baseUrl: string;
  timeoutMs: number;
  auth: Auth;
  /**
   * Requests any route of the gateway by its whole path, without the chat token. The answer keeps the field
   * names of the wire.
   * @throws ChatError
   */
  request<T>(path: string, call?: Call): Promise<T>;
  /** Requests a chat route by its path after `/api/chat`; the answer's fields are in camelCase. @throws ChatError */
  call<T>(path: string, call?: Call): Promise<T>;
  /** Returns the signed-in user. @throws ChatError */
  me(given?: CallOptions): Promise<Me>;
  /**
   * Bootstraps now. @throws ChatError `unauthorized` without a `login`, `unreadable` if the server requests a
   * signature that is not for a login there, and whatever `login` throws
   */
  signIn(given?: SignInOptions): Promise<Bootstrap>;
  /** Revokes the token, which closes its websockets. @throws ChatError */
  signOut(given?: CallOptions): Promise<void>;
  /** The chat token in use; undefined before the first sign-in, and with the cookie. */
  token(): string | undefined;
  /** Ensures that there is a token, if one is needed, by signing in. */
  ready(given?: CallOptions): Promise<void>;
};

const DEFAULT_TIMEOUT_MS = 30_000;

const isRefused = (error: unknown) => error instanceof ChatError && error.status === 401;

/**
 * Creates the part of a client that needs no websocket: signing in and out, and requests.
 * @throws TypeError for invalid, contradictory or missing options
 */
export function createChatSession(options: SessionOptions): ChatSession {
  const { login, carrier = "bearer", timeoutMs = DEFAULT_TIMEOUT_MS } = options;
  const baseUrl = options.baseUrl.replace(/\/+$/, "");
  if (!/^https?:\/\/./.test(baseUrl)) throw new TypeError("baseUrl is to be an address with http or https");
  if (carrier === "cookie" && options.token !== undefined)
    throw new TypeError('token goes with carrier "bearer"; the cookie is the browser\'s own');
  if (carrier === "bearer" && options.token === undefined && !login)
    throw new TypeError("give a token, or login, so that the client can get one");
  const request = createRequest({ baseUrl, carrier, fetch: options.fetch, timeoutMs });
  const auth = createAuth(request, baseUrl);
  let token = options.token;
  let signIns = 0;

  const bootstrap = async (proven: Login, given?: CallOptions) => {
    // The contract allows `username` and `accessToken` to be of any type, because an invalid token is a 401,
    // not a 400.
    const { username, accessToken, community } = proven;
    const body: BootstrapRequest = { username, accessToken, community };
    const answer = await request<Bootstrap>("/api/chat/bootstrap", { ...given, method: "POST", body });
    if (carrier === "bearer") token = answer.token;
    signIns += 1;
    options.onToken?.(answer.token);
    return answer;
  };

  const prove = async (signal: AbortSignal): Promise<Login> => {
    if (typeof login === "function") return login({ auth, signal });
    if (!login)
      throw new ChatError({
        code: "unauthorized",
        status: 401,
        message: "The token is missing, expired or not valid, and the client was given no login.",
      });
    const { sign, host, ...account } = login;
    const { username } = account;
    const { message } = await auth.challenge(username, { signal });
    (await import("./challenge.ts")).assertChallenge(message, { username, baseUrl, host });
    const proof = { username, message, signature: await sign(message) };
    const { accessToken } = await auth.login(proof, { signal });
    return { ...account, accessToken };
  };

  const signInOnce = shareWork(async (signal) => bootstrap(await prove(signal), { signal }));

  const signIn = ({ as, ...given }: SignInOptions = {}): Promise<Bootstrap> =>
    as ? bootstrap(as, given) : signInOnce(given.signal);

  const ready = async (given?: CallOptions) => {
    if (carrier === "bearer" && token === undefined) await signIn(given);
  };

  const callChat = async <T>(path: string, call: Call = {}) => {
    const ask = async () => {
      const answer = await request<T>(`/api/chat${path}`, call, token);
      return call.answer === "blob" ? answer : (camelCased(answer) as T);
    };
    await ready(call);
    const before = signIns;
    try {
      return await ask();
    } catch (error) {
      if (!isRefused(error) || !login) throw error;
      // Another call may have replaced the token meanwhile.
      if (before === signIns) await signIn(call);
      return ask();
    }
  };

  return {
    baseUrl,
    timeoutMs,
    auth,
    request: (path, call) => request(path, call),
    call: callChat,
    me: (given) => callChat("/me", given),
    signIn,
    async signOut(given) {
      if (carrier === "bearer" && token === undefined) return;
      await request("/api/chat/logout", { ...given, method: "POST" }, token).catch((error: unknown) => {
        // The token is already revoked, so the user is signed out.
        if (!isRefused(error)) throw error;
      });
      token = undefined;
    },
    token: () => token,
    ready,
  };
}

/** Creates the methods of the gateway's own login; access tokens of another issuer need none of them. */
function createAuth(request: Request, baseUrl: string) {
  const post = <T>(path: string, body: unknown, given?: CallOptions) =>
    request<T>(`/api/auth/${path}`, { ...given, method: "POST", body });
  return {
    /** Requests a text for the account to sign with its posting key. @throws ChatError */
    challenge: (username: string, given?: CallOptions) => post<Challenge>("challenge", { username }, given),
    /**
     * Exchanges the signed text for an access token and, in a page, the session cookie. @throws ChatError
     * `unauthorized`, `challenge_expired`
     */
    login: (proof: SignedChallenge, given?: CallOptions) => post<Tokens>("login", proof, given),
    /**
     * Requests a text that a wallet elsewhere signs, such as one on a phone. `walletAnswerUrl` of
     * `hivegate/wallets` is where it answers. `host` is that of the gateway's `PUBLIC_URL`, if `baseUrl` differs from it.
     * @throws ChatError; `unreadable` if the text is not a login there of that account
     */
    askWallet: async (
      username: string,
      { host, ...given }: CallOptions & { host?: string } = {},
    ): Promise<WalletChallenge> => {
      const asked = await post<WalletChallenge>("challenge", { username, via: "link" }, given);
      (await import("./challenge.ts")).assertChallenge(asked.message, { username, baseUrl, host });
      return asked;
    },
    /**
     * Waits until the wallet has signed, across lost connections, and resolves to the tokens of the account. A minute
     * after the challenge's end it gives up a server that it cannot reach. In a page it sets the session cookie. @throws ChatError `unauthorized`, `challenge_expired`
     */
    waitForWallet: async (
      { id, secret, message, expiresAt }: WalletChallenge,
      given?: CallOptions,
    ): Promise<WalletLogin> => {
      const { untilSigned } = await import("./until-signed.ts");
      const path = `wallet/${encodeURIComponent(id)}/session`;
      return untilSigned(() => post(path, { secret }, given), { message, expiresAt }, given);
    },
    /** Issues a new access token for the session cookie or a refresh token. @throws ChatError `unauthorized` */
    refresh: (refreshToken?: string, given?: CallOptions) =>
      post<RenewedTokens>("refresh", { refreshToken } satisfies RefreshRequest, given),
    /** Returns the owner of the session cookie. @throws ChatError `unauthorized` */
    session: (given?: CallOptions) => request<{ username: string }>("/api/auth/session", given),
    /** Ends the login session and its refresh token. @throws ChatError */
    logout: (given?: CallOptions) => request<{ ok: true }>("/api/auth/logout", { ...given, method: "POST" }),
  };
}

export type Auth = ReturnType<typeof createAuth>;
