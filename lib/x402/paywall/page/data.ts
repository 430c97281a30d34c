import { byId } from "./elements.ts";
import type { PageData } from "./page-data.ts";

export const data = JSON.parse(byId("data").textContent ?? "") as PageData;

export const { texts } = data;
