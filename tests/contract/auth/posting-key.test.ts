import { describe, expect, it } from "vitest";
import { createChatSession } from "../../../lib/chat-client/index.ts";
import { signAccessToken, signWithPostingKey } from "../../../lib/hive/sign-in.ts";
import { wifOf } from "../../harness/start-shop.ts";
import { useChat } from "../../harness/use-chat.ts";

describe("signing in with a posting key", () => {
  const world = useChat();
  const app = "hivegate";
  const postingKey = wifOf("alice", "posting");
  const username = "alice";

  it("accepts an access token that the library forms", async () => {
    const accessToken = signAccessToken({ username, postingKey, app });
    const login = async () => ({ username, accessToken });
    const session = createChatSession({ baseUrl: world.gateway.url, login });
    await session.signIn();
    expect((await session.me()).user.username).toBe("alice");
    expect(accessToken).not.toContain(postingKey);
  });

  it("accepts a challenge answer that the library signs", async () => {
    const login = signWithPostingKey({ username, postingKey });
    const session = createChatSession({ baseUrl: world.gateway.url, login });
    await session.signIn();
    expect((await session.me()).user.username).toBe("alice");
    expect(JSON.stringify(login)).not.toContain(postingKey);
  });

  it("reports which of key, token and account is wrong", async () => {
    const signIn = (login: Parameters<typeof signAccessToken>[0]) =>
      createChatSession({
        baseUrl: world.gateway.url,
        login: async () => ({ username: login.username, accessToken: signAccessToken(login) }),
      }).signIn();
    const active = wifOf("alice", "active");
    await expect(signIn({ username, postingKey: active, app })).rejects.toThrow("posting key");
    await expect(signIn({ username, postingKey, app, timestamp: 1_500_000_000 })).rejects.toThrow("too old");
    await expect(signIn({ username: "nobody-here", postingKey, app })).rejects.toThrow("no account");
    const wrong = signWithPostingKey({ username, postingKey: active });
    const session = createChatSession({ baseUrl: world.gateway.url, login: wrong });
    await expect(session.signIn()).rejects.toThrow("posting key");
  });

  it.each([undefined, "", "5J", `${postingKey}x`, "alice"])(
    "refuses the malformed key %j without repeating it",
    (key) => {
      const refusal = new TypeError("postingKey must be a private key in WIF");
      expect(() => signAccessToken({ username, postingKey: key, app })).toThrow(refusal);
      expect(() => signWithPostingKey({ username, postingKey: key })).toThrow(refusal);
      expect(() => signWithPostingKey({ username: "No!", postingKey })).toThrow("account name");
    },
  );
});
