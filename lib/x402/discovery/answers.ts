type CommonInput = {
  type: "http";
  pathParams?: Record<string, unknown>;
  queryParams?: Record<string, unknown>;
  headers?: Record<string, string>;
};

/** The call of a resource and its answer, with a JSON Schema of that description. */
export type Declaration = {
  info: {
    input:
      | (CommonInput & { method: "GET" | "HEAD" | "DELETE" })
      | (CommonInput & {
          method: "POST" | "PUT" | "PATCH";
          bodyType: "json" | "form-data" | "text";
          body: Record<string, unknown> | unknown[] | string;
        });
    output?: { type: string; format?: string; example?: unknown };
  };
  schema: Record<string, unknown>;
  /** The address of a resource with parameters, such as `/users/:id`. */
  routeTemplate?: string;
};

/** One resource of the catalogue. */
export type Listing = {
  resource: string;
  type: "http";
  x402Version: 2;
  /** The ways to pay. */
  accepts: {
    scheme: string;
    network: string;
    amount: string;
    asset: string;
    payTo: string;
    maxTimeoutSeconds: number;
    extra?: { paymentFlow?: string };
  }[];
  /** The time when the seller was last asked, in ISO 8601. */
  lastUpdated: string;
  description?: string;
  mimeType?: string;
  serviceName?: string;
  tags?: string[];
  iconUrl?: string;
  extensions: { bazaar: Declaration };
};

/** The answer of `/discovery/resources`. */
export type ResourcesPage = {
  x402Version: 2;
  items: Listing[];
  pagination: { limit: number; offset: number; total: number };
};

/** The answer of `/discovery/search`. */
export type SearchResult = {
  x402Version: 2;
  resources: Listing[];
  partialResults: boolean;
  /** The number of resources in this answer, and where the next one begins. */
  pagination: { limit: number; cursor: string | null };
};
