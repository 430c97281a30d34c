/** Next calls this in the browser when its router begins to open an address. `onRouteStart` passes it on. */
export function onRouterTransitionStart(address: string): void {
  window.dispatchEvent(new CustomEvent("hivegate:route-start", { detail: address }));
}
