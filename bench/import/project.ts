export const PROJECT = "acme/qa";
