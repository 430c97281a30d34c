/** Like `Promise.all`, except that of several failures the first in the list counts, not the first in time. */
export async function allInOrder<T extends readonly unknown[]>(
  works: readonly [...{ [K in keyof T]: Promise<T[K]> }],
): Promise<T> {
  const settled = await Promise.allSettled(works);
  return settled.map((work) => {
    if (work.status === "rejected") throw work.reason;
    return work.value;
  }) as unknown as T;
}
