import type { IncomingMessage } from "node:http";
import { describe, expect, it } from "vitest";
import { texts } from "#app/_languages/es/index.ts";
import { channelNews } from "#app/(demo)/_chat/data/channel-news.ts";
import { provideTexts } from "#app/(demo)/_ui/language.ts";
import { makePageFor } from "#lib/http/page-language.ts";
import { samplePost } from "#tests/harness/sample-post.ts";

const inSpanish = { headers: { "accept-language": "es" } } as unknown as IncomingMessage;

const tell = (type: string, props: Record<string, unknown>, message = "in the server's words") =>
  channelNews(samplePost("p", { type, message, props: { username: "alice", ...props } }));

const all = () => [
  tell("system_displayname_change", { old_displayname: "Tea", new_displayname: "Coffee" }),
  tell("system_header_change", { old_header: "", new_header: "**Rules**" }),
  tell("system_header_change", { old_header: "**Rules**", new_header: "" }),
  tell("system_purpose_change", { new_purpose: "Beans" }),
  tell("system_purpose_change", { new_purpose: " " }),
  tell("system_channel_deleted", {}),
  tell("system_channel_restored", {}),
  tell("system_change_chan_privacy", {}, "This channel has been converted to a Private Channel."),
  tell("system_change_chan_privacy", {}, "This channel has been converted to a Public Channel and can be …"),
];

describe("channel events in words", () => {
  it("describes the event in the reader's language, from the post's type and props", () => {
    expect(all()).toEqual([
      "alice renamed the channel to “Coffee”.",
      "alice set the header: **Rules**",
      "alice removed the header.",
      "alice set the purpose: Beans",
      "alice removed the purpose.",
      "alice archived the channel.",
      "alice restored the channel.",
      "alice made the channel private.",
      "alice made the channel public: anybody here can join it.",
    ]);
    provideTexts("es", texts);
    const translated = makePageFor(inSpanish, all);
    expect(translated.slice(0, 3)).toEqual([
      "alice cambió el nombre del canal a «Coffee».",
      "alice cambió el encabezado: **Rules**",
      "alice quitó el encabezado.",
    ]);
    expect(translated).not.toContain(null);
  });

  it("keeps the server's text for unknown events, and for events without their details", () => {
    expect([
      tell("system_displayname_change", { new_displayname: 7 }),
      tell("system_header_change", {}),
      tell("system_header_change", { username: undefined, new_header: "x" }),
      tell("system_change_chan_privacy", {}, "Este canal es ahora otra cosa."),
      tell("system_new_kind", {}),
      tell("toString", {}),
      tell("", {}),
    ]).toEqual(Array(7).fill(null));
  });
});
