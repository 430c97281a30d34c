/** A host with its port, in lower case, such as `shop.lan:8080`. */
export const HOST_WITH_PORT = /^(?:[a-z0-9.-]+|\[[0-9a-f:]+\]):\d{1,5}$/;
