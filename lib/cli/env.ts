import { envExample } from "./env-example.ts";

process.stdout.write(envExample());
