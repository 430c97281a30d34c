/** The languages of the pages; the first is the default. */
export const languages = ["en", "es"] as const;
export type Language = (typeof languages)[number];

/** The direction in which a language is written, for the attribute `dir`. */
export const directionOf: Readonly<Record<Language, "ltr" | "rtl">> = { en: "ltr", es: "ltr" };

/** The language of texts, and the locale for dates and numbers, as `Intl` takes it. */
export type Spoken = { language: Language; locale: string };

/** The chosen language, if any, and the browser's preferred ones, best first. */
export type Wish = { choice: string | undefined; preferred: readonly string[] };

/** Returns the chosen language or, without one, the first preferred language that the pages support. */
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
    // A browser may send anything, so an invalid tag is ignored.
    return false;
  }
}

type Server = { [symbol: symbol]: undefined | (() => (Wish & { spoken?: Spoken }) | undefined) };

let present: Spoken | null = null;

/** Returns the page's language: the current request's on the server, the rendered one in the browser. */
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

/** Switches the page to another language, whose texts must be loaded (`loadTexts`). */
export function speak(next: Spoken): void {
  present = next;
}

type Texts = Readonly<Record<string, unknown>>;

/** Texts in a language other than English. A missing part is shown in English, and fails a unit test. */
export type Translation<English> = English extends string
  ? string
  : English extends (...filled: infer Filled) => string
    ? (...filled: Filled) => string
    : { readonly [Name in keyof English]?: Translation<English[Name]> };

const catalogues = new Map<string, Texts>();
const loaders = new Map<string, () => Promise<Texts>>();
const loads = new Map<string, Promise<void>>();

/** Registers the texts of a language, by room. */
export function provideTexts(language: Language, texts: Texts | (() => Promise<Texts>)): void {
  if (typeof texts === "function") loaders.set(language, texts);
  else catalogues.set(language, texts);
}

/** Loads the texts of a language. Returns null if they are loaded, or if there is nothing to load. */
export function loadTexts(language: Language): Promise<void> | null {
  const load = loaders.get(language);
  if (!load || catalogues.has(language)) return null;
  const loading =
    loads.get(language) ??
    load().then(
      (texts) => void catalogues.set(language, texts),
      // The page stays in English until it is reloaded, which is better than no page.
      () => void catalogues.set(language, {}),
    );
  loads.set(language, loading);
  return loading;
}

/**
 * Returns the texts of a room, written in English. Each is read in the language that the page has at that
 * moment.
 */
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

/**
 * Returns a getter of an `Intl` format in the language that the page has at that moment. Each format is
 * created once.
 */
export function inLocale<Format>(make: (locale: string) => Format): () => Format {
  const made = new Map<string, Format>();
  return () => {
    const { locale } = spoken();
    const format = made.get(locale) ?? make(locale);
    made.set(locale, format);
    return format;
  };
}

/** The browser's locale decides between twelve and twenty-four hours, whatever the page's language. */
const { hourCycle } = new Intl.DateTimeFormat(undefined, { hour: "numeric" }).resolvedOptions();

/** Creates a function that formats times in the language of the page, in a form that `Intl` knows. */
export function timesIn(form: Intl.DateTimeFormatOptions): (time: number | Date) => string {
  const format = inLocale((locale) => new Intl.DateTimeFormat(locale, { hourCycle, ...form }));
  return (time) => format().format(time);
}

/** Formats day and time briefly. */
export const momentOf = timesIn({ dateStyle: "medium", timeStyle: "short" });
