/**
 * Makes `instanceof` recognize a class of this name across copies of its module: `server.ts` and Next's
 * compiled routes each load a copy, and each catches the other's errors. Subclasses stay distinct.
 */
export function shareClass(made: abstract new (...values: never[]) => object, name: string): void {
  const mark = Symbol.for(`hivegate.class.${name}`);
  Object.defineProperty(made.prototype, mark, { value: true });
  Object.defineProperty(made, Symbol.hasInstance, {
    value(this: unknown, value: unknown) {
      if (this === made) return typeof value === "object" && value !== null && mark in value;
      return Function.prototype[Symbol.hasInstance].call(this, value);
    },
  });
}
