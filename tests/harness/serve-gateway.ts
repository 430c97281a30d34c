import { startGateway } from "./start-gateway.ts";

/** The child of `startGatewayProcess`: its first argument holds its options as JSON. */
const gateway = await startGateway(JSON.parse(process.argv[2] ?? "{}"));
process.on("SIGTERM", () => void gateway.close().then(() => process.exit(0)));
process.send?.({ url: gateway.url });
