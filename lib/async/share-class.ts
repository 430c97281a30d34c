/**
 * Lets `instanceof` know a class of this name in every copy of its module: `server.ts` and Next's compiled routes each
 * hold one, and catch what the others throw. Subclasses are told apart as ever.
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
