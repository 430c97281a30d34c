import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createElement, type FunctionComponent } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { rememberUsers } from "#app/(demo)/_chat/data/cache.ts";
import { Approval } from "#app/(demo)/_chat/message/approval-card.tsx";
import { strings } from "#app/(demo)/_chat/message/approval-strings.en.ts";
import { MessageBody } from "#app/(demo)/_chat/message/message-body.tsx";
import { strings as texts } from "#app/(demo)/_chat/strings.en.ts";
import { approvalText, writeRequest } from "#lib/approvals/approval-text.ts";

vi.mock("#app/(demo)/_chat/chat-context.ts", async (original) => ({
  ...(await original<object>()),
  useChat: () => ({ me: { id: "a", username: "alice" } }),
  useConversation: () => ({ isMember: true }),
}));

const origin = "https://chat.example";
beforeAll(() => {
  vi.stubGlobal("window", { location: { origin } });
});
afterAll(() => {
  vi.unstubAllGlobals();
});

const text = approvalText({
  ...{ chat: origin, id: "0".repeat(32), agent: "carol", owner: "alice", amount: "0.050 HBD" },
  ...{ payTo: "shop", network: "chain:sandbox", resource: "https://shop.example/" },
  ...{ request: "0".repeat(64), expiresAt: "2999-01-01T00:00:00.000Z" },
});
const post = (message: string, editAt: number) => ({
  ...{ id: "p", message, userId: "c", channelId: "d", rootId: "", type: "" },
  ...{ createAt: 1, editAt, deleteAt: 0, updateAt: 1 },
});
/** Returns the HTML of a component for a post, with carol as its author. */
const show = <Props extends object>(component: FunctionComponent<Props>, props: Props) => {
  const client = new QueryClient();
  const carol = {
    id: "c",
    username: "carol",
    firstName: "",
    lastName: "",
    nickname: "",
    lastPictureUpdate: 0,
  };
  rememberUsers(client, [carol]);
  return renderToStaticMarkup(
    createElement(QueryClientProvider, { client }, createElement(component, props)),
  );
};
const card = (message: string, editAt: number) =>
  show(Approval, { post: post(message, editAt), children: null });
const body = (message: string, editAt: number) =>
  show(MessageBody, { post: post(message, editAt), myName: "alice", isFolded: false });

describe("a request for money", () => {
  it("has a button for its owner while it waits unchanged", () => {
    expect(card(writeRequest(text, "waiting"), 0)).toContain(strings.approve("0.050 HBD"));
  });

  it("has a warning and no button if it was edited while it waits", () => {
    const html = card(writeRequest(text, "waiting"), 2);
    expect(html).toContain(strings.changed);
    expect(html).not.toContain("<button");
  });

  it("has no warning if its agent has written the outcome into it", () => {
    expect(card(writeRequest(text, "paid"), 2)).not.toContain('role="alert"');
  });
});

describe("a message with the block of an approval", () => {
  const edited = `(${texts.message.edited})`;

  it.each([
    ["a request", writeRequest(text, "paid")],
    ["an ordinary message", "hello\n```hivegate-approval\nnothing\n```"],
  ])("is marked as edited once it is: %s", (_name, message) => {
    expect(body(message, 0)).not.toContain(edited);
    expect(body(message, 2)).toContain(edited);
  });
});
