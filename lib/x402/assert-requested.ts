/**
 * Makes Next run a route for each request, because it prerenders none that reads its headers. Throws for
 * `dynamic = "force-static"`, which runs the route without a request, so that no payment would ever arrive.
 * @throws TypeError
 */
export function assertRequested({ headers }: Request): void {
  // There, Next gives an empty list that it has sealed.
  const isSealed = headers.set !== Headers.prototype.set;
  if (isSealed && headers.keys().next().done)
    throw new TypeError(
      'a paid route runs for each request, so it can\'t be static: remove `dynamic = "force-static"`',
    );
}
