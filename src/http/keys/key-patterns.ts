/** User names are sent in Basic credentials, where the first colon ends them. */
export const USER_PATTERN = /^[^:\p{Cc}]{1,128}$/u;
export const USER_RULE = "must be 1 to 128 characters without colon";
