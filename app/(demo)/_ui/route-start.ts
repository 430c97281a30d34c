const ROUTE_START = "hivegate:route-start";

/** Reports that the router begins to open an address. It shows the address once the server has answered. */
export function tellRouteStart(address: string): void {
  window.dispatchEvent(new CustomEvent(ROUTE_START, { detail: address }));
}

/** Calls back when the router begins to open an address. Call the returned function to stop. */
export function onRouteStart(listener: (address: URL) => void): () => void {
  const listen = ({ detail }: CustomEventInit<string>) =>
    listener(new URL(detail ?? "", window.location.href));
  window.addEventListener(ROUTE_START, listen);
  return () => window.removeEventListener(ROUTE_START, listen);
}
