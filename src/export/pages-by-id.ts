// Reads all rows of the store in pages, each after the last id of the one before, so that a row that
// exists the whole time is in exactly one of them.

/** @param read the next rows by id */
export async function* pagesById<Row extends { readonly id: string }>(
  read: (afterId: string) => Promise<readonly Row[]>,
): AsyncGenerator<readonly Row[]> {
  for (let afterId = ''; ; ) {
    const rows = await read(afterId);
    const last = rows.at(-1);
    if (last === undefined) return;
    yield rows;
    afterId = last.id;
  }
}
