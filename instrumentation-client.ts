import { tellRouteStart } from "./app/(demo)/_ui/route-start.ts";

/** Next calls this in the browser when its router begins to open an address. */
export function onRouterTransitionStart(address: string): void {
  tellRouteStart(address);
}
