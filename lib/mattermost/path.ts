const unsafe = /^\.{0,2}$/;

/** A path template whose values can't leave their segment. */
export function path(template: TemplateStringsArray, ...values: readonly string[]): string {
  return template.reduce((made, text, index) => {
    const value = values[index - 1] ?? "";
    if (unsafe.test(value)) throw new TypeError("a path value must be a name");
    return made + encodeURIComponent(value) + text;
  });
}

const words = new Set(
  [
    "all autocomplete categories channels client config direct email ids image logout me members name notify_props patch ping",
    "password posts preferences reactions revoke search sessions stats system teams thread threads tokens username users view",
  ].flatMap((line) => line.split(" ")),
);

/** The path with all that is no fixed word left out, as a label of few values: `/channels/{}/posts`. */
export function routeOf(path: string): string {
  const segments = (path.split("?", 1)[0] ?? "").split("/").slice(1);
  return segments.map((segment) => `/${words.has(segment) ? segment : "{}"}`).join("");
}
