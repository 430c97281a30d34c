const unsafe = /^\.{0,2}$/;

/** A path template whose values can't leave their segment. */
export function path(template: TemplateStringsArray, ...values: readonly string[]): string {
  return template.reduce((made, text, index) => {
    const value = values[index - 1] ?? "";
    if (unsafe.test(value)) throw new TypeError("a path value must be a name");
    return made + encodeURIComponent(value) + text;
  });
}
