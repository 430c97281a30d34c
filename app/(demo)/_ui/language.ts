/** The languages that the pages are written in; the first is for whoever reads none of them. */
export const languages = ["en", "es"] as const;
export type Language = (typeof languages)[number];

/** The way in which a language is written, for the attribute `dir`. */
export const directionOf: Readonly<Record<Language, "ltr" | "rtl">> = { en: "ltr", es: "ltr" };

/** What texts are written in and, as `Intl` takes it, what dates and numbers are. */
export type Spoken = { language: Language; locale: string };

/** The language that was chosen, if one was, and those that the browser prefers, best first. */
export type Wish = { choice: string | undefined; preferred: readonly string[] };

/** The choice where there is one, else the first of the preferred ones that the pages have. */
export function spokenBy({ choice, preferred }: Wish): Spoken {
  const known = preferred.flatMap((locale) => {
    const language = languages.find((name) => locale.toLowerCase().split("-")[0] === name);
    return language && isLocale(locale) ? [{ language, locale }] : [];
  });
  const language = languages.find((name) => name === choice) ?? known[0]?.language ?? languages[0];
  return known.find((one) => one.language === language) ?? { language, locale: language };
}

function isLocale(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    // What a browser sends may be no language at all.
    return false;
  }
}

type Server = { [symbol: symbol]: undefined | (() => (Wish & { spoken?: Spoken }) | undefined) };

let present: Spoken | null = null;

/** What the page is shown in: on the server by the request that it is made for, in the browser as the server began. */
export function spoken(): Spoken {
  if (typeof document === "undefined") {
    const wish = (globalThis as Server)[Symbol.for("hivegate.page-wish")]?.();
    if (!wish) return { language: languages[0], locale: languages[0] };
    wish.spoken ??= spokenBy(wish);
    return wish.spoken;
  }
  present ??= spokenBy({ choice: document.documentElement.lang, preferred: navigator.languages });
  return present;
}

/** Shows the page in another language from now on; its texts are there (`loadTexts`). */
export function speak(next: Spoken): void {
  present = next;
}

type Texts = Readonly<Record<string, unknown>>;

/** Texts in another language than English: a part that is missing is shown in English, and fails a unit test. */
export type Translation<English> = English extends string
  ? string
  : English extends (...filled: infer Filled) => string
    ? (...filled: Filled) => string
    : { readonly [Name in keyof English]?: Translation<English[Name]> };

const catalogues = new Map<string, Texts>();
const loaders = new Map<string, () => Promise<Texts>>();
const loads = new Map<string, Promise<void>>();

/** Knows the texts of a language: those of each room of the pages by the room's name. */
export function provideTexts(language: Language, texts: Texts | (() => Promise<Texts>)): void {
  if (typeof texts === "function") loaders.set(language, texts);
  else catalogues.set(language, texts);
}

/** Loads the texts of a language; null where they are there, or there is nothing to load. */
export function loadTexts(language: Language): Promise<void> | null {
  const load = loaders.get(language);
  if (!load || catalogues.has(language)) return null;
  const loading =
    loads.get(language) ??
    load().then(
      (texts) => void catalogues.set(language, texts),
      // English until the page is loaded again: better than no page.
      () => void catalogues.set(language, {}),
    );
  loads.set(language, loading);
  return loading;
}

/** The texts of a room, written in English: read in the language of the page as it is at that moment. */
export function inLanguages<const English extends object>(room: string, english: English): English {
  return viewOf(english, () => catalogues.get(spoken().language)?.[room]);
}

function viewOf<English extends object>(english: English, translated: () => unknown): English {
  const inner = new Map<PropertyKey, object>();
  const partOf = (name: PropertyKey) => (translated() as Record<PropertyKey, unknown> | undefined)?.[name];
  return new Proxy(english, {
    get(texts, name) {
      const text: unknown = Reflect.get(texts, name);
      if (typeof text !== "object" || text === null) return partOf(name) ?? text;
      const view = inner.get(name) ?? viewOf(text, () => partOf(name));
      inner.set(name, view);
      return view;
    },
  });
}

/** A format of `Intl` in the language of the page as it is at that moment; each is made once. */
export function inLocale<Format>(make: (locale: string) => Format): () => Format {
  const made = new Map<string, Format>();
  return () => {
    const { locale } = spoken();
    const format = made.get(locale) ?? make(locale);
    made.set(locale, format);
    return format;
  };
}

/** Twelve hours or twenty-four is the browser's habit, whatever the page's language. */
const { hourCycle } = new Intl.DateTimeFormat(undefined, { hour: "numeric" }).resolvedOptions();

/** Writes times in the language of the page, in a form such as `Intl` knows. */
export function timesIn(form: Intl.DateTimeFormatOptions): (time: number | Date) => string {
  const format = inLocale((locale) => new Intl.DateTimeFormat(locale, { hourCycle, ...form }));
  return (time) => format().format(time);
}

/** The day and the time of it, short. */
export const momentOf = timesIn({ dateStyle: "medium", timeStyle: "short" });
