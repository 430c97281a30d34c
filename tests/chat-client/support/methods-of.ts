/** Returns the names of a client's methods, such as `posts.create`. */
export const methodsOf = (part: object, prefix = ""): string[] =>
  Object.entries(part).flatMap(([name, value]) => {
    if (typeof value === "string") return [];
    return typeof value === "function" ? [prefix + name] : methodsOf(value, `${prefix}${name}.`);
  });
