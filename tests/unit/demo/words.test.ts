import { describe, expect, test } from "vitest";
import { texts as spanish } from "../../../app/_languages/es/index.ts";
import { strings as media } from "../../../app/(demo)/_chat/media/strings.en.ts";
import { strings as chat } from "../../../app/(demo)/_chat/strings.en.ts";
import { strings as landing } from "../../../app/(demo)/_landing/strings.en.ts";
import { strings as pay } from "../../../app/(demo)/_pay/strings.en.ts";
import { strings as session } from "../../../app/(demo)/_session/strings.en.ts";
import { strings as ui } from "../../../app/(demo)/_ui/strings.en.ts";
import { strings as wire } from "../../../app/(demo)/_wire/strings.en.ts";
import { strings as articles } from "../../../app/(demo)/articles/strings.en.ts";
import { strings as payments } from "../../../app/(demo)/payments/strings.en.ts";
import { strings as settings } from "../../../app/(demo)/settings/strings.en.ts";

/** Returns every text under a value, each with its path. Parameters get sample values. */
function textsOf(value: unknown, path: string): Array<[path: string, text: string]> {
  if (typeof value === "string") return [[path, value]];
  if (typeof value === "function") return textsOf(value("alice", 2, "bob"), path);
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => textsOf(inner, `${path}.${name}`));
}

const read = { ...chat, list: "", typing: {} };
const spoken = [
  ...textsOf(read, "chat"),
  ...textsOf(ui, "ui"),
  ...textsOf(articles, "articles"),
  ...textsOf(payments, "payments"),
  ...textsOf(pay, "pay"),
  ...textsOf(session, "session"),
  ...textsOf(wire, "wire"),
  ...textsOf(media, "media"),
  ...textsOf(settings, "settings"),
  // The landing page's texts for developers may use technical terms.
  ...textsOf(landing.broken, "landing.broken"),
];
const inSpanish = [
  "chat",
  "ui",
  "articles",
  "payments",
  "pay",
  "session",
  "wire",
  "media",
  "settings",
].flatMap((room) =>
  textsOf(Reflect.get({ ...spanish, chat: { ...spanish.chat, list: "", typing: {} } }, room), room),
);
const JARGON =
  /\b(?:402|x402|backend|bootstrap|challenge|endpoint|facilitator|frames?|gateway|HTTP|payload|requests?|resources?|sockets?|tokens?|websockets?|wire)\b/i;

const SPANISH_JARGON =
  /\b(?:carga útil|endpoint|facilitador|pasarela|petición|peticiones|recurso|recursos|solicitud|solicitudes)\b/i;
const SPANISH_NEXT_STEP =
  /(?:espera|inténtalo|envíal[oa]|elige|escríbe|pide|pregunta|revisa|vuelve a|reinténta)/i;

describe("wording of the pages", () => {
  test("shows no technical terms to people who chat, read and pay", () => {
    expect(spoken.filter(([, text]) => JARGON.test(text))).toEqual([]);
  });

  test("shows no technical terms in Spanish", () => {
    expect(inSpanish.length).toBeGreaterThan(spoken.length * 0.8);
    expect(inSpanish.filter(([, text]) => JARGON.test(text) || SPANISH_JARGON.test(text))).toEqual([]);
  });

  test.each(Object.entries(spanish.session?.problems ?? {}))(
    "says what to do next in Spanish after %s",
    (_code, text) => {
      expect(text).toMatch(SPANISH_NEXT_STEP);
    },
  );

  const NEXT_STEP = /\b(?:ask|check|choose|go to|reload|open|send it|shorten|take|tell|try|wait|write)\b/i;
  const failures = spoken.filter(
    ([path, text]) =>
      /\bcan't be\b|did not work|\bnot found\b|\bno (?:Hive account|message|emoji)\b|^nothing (?:found|matches)|too (?:many|long)\b/i.test(
        text,
      ) && !/\.title$/.test(path),
  );

  test.each(Object.entries(session.problems))("says what to do next after the failure %s", (_code, text) => {
    expect(text).toMatch(NEXT_STEP);
  });

  test.each([
    ...textsOf(chat.message.notSentAs, "chat.message.notSentAs"),
    ["chat.toast.copyBlocked", chat.toast.copyBlocked],
    ["chat.members.none", chat.members.none],
    ["session.key.malformed", session.key.malformed],
    ["pay.guard.malformed", pay.guard.malformed],
  ])("says what to do next in the error text %s", (_path, text) => {
    expect(text).toMatch(/\b(?:join|copy|try|enter)\b/i);
  });

  test("finds failures to check", () => {
    expect(failures.length).toBeGreaterThan(10);
  });

  test.each(failures)("says what to do next in the failure text %s", (path, text) => {
    // The next step of this heading is in the sentence below it.
    const whole = path === "chat.channel.notFound" ? `${text}. ${chat.channel.notFoundHint}` : text;
    expect(whole).toMatch(NEXT_STEP);
  });
});
