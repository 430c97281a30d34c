/** The name of the extension by which sellers describe a resource for catalogues. */
export const BAZAAR = "bazaar";
