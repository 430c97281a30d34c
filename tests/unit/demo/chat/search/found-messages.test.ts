import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it, vi } from "vitest";
import { FoundMessages } from "#app/(demo)/_chat/search/search-panel.tsx";
import { strings } from "#app/(demo)/_chat/strings.en.ts";

vi.mock("next/navigation", async (original) => ({
  ...(await original<object>()),
  useSearchParams: () => new URLSearchParams(),
  useRouter: () => ({}),
}));
vi.mock("#app/(demo)/_chat/chat-context.ts", async (original) => ({
  ...(await original<object>()),
  useChat: () => ({ me: { id: "a", username: "alice" } }),
  usePanel: () => ({}),
}));

const post = {
  ...{ id: "p", message: "the tapir", userId: "b", channelId: "c", rootId: "", type: "" },
  ...{ createAt: 1, editAt: 0, deleteAt: 0, updateAt: 1 },
};
const page = { posts: [post], users: {}, channels: {} } as never;
const texts = { label: "Search", none: "none", failed: "It failed.", pattern: null };
const shown = (given: object) =>
  renderToStaticMarkup(
    createElement(
      QueryClientProvider,
      { client: new QueryClient() },
      createElement(FoundMessages, {
        ...{ ...texts, pages: [page], isFetching: false, isError: true, hasNextPage: true },
        ...{ refetch: () => {}, fetchNextPage: (async () => {}) as never },
        ...given,
      }),
    ),
  );

describe("found messages", () => {
  it("keeps found messages if loading more of them fails, with a retry instead of the button for more", () => {
    const html = shown({});
    expect(html).toContain("the tapir");
    expect(html).toMatch(/role="alert".*It failed\./);
    expect(html).toContain(strings.failed.retry);
    expect(html).not.toContain(strings.search.more);
  });

  it("shows the failure if nothing was found before", () => {
    const html = shown({ pages: [] });
    expect(html).toMatch(/role="alert".*It failed\./);
    expect(html).not.toContain("<ul");
  });
});
