/** What `maintain` did. */
export interface Maintenance {
  /** Loads of writers that had gone, of which nothing was visible, and nothing is stored any more. */
  readonly loads_removed: number;
  /** Records that no question could see any more, and that are deleted. */
  readonly records_removed: number;
}
