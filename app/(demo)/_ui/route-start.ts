/**
 * Calls back when the router begins to open an address, as `instrumentation-client.ts` reports. Call the returned
 * function to stop.
 */
export function onRouteStart(listener: (address: URL) => void): () => void {
  const listen = ({ detail }: CustomEventInit<string>) =>
    listener(new URL(detail ?? "", window.location.href));
  window.addEventListener("hivegate:route-start", listen);
  return () => window.removeEventListener("hivegate:route-start", listen);
}
