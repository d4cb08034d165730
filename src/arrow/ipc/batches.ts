import { MetadataVersion, Vector, type Data, type Field, type Message, type Schema } from "apache-arrow";
import { ArrowFault } from "../arrow-fault.ts";
import { readBuffers } from "./buffers.ts";
import { readColumns } from "./columns.ts";
import { decode, type IpcPart } from "./messages.ts";

/** Records of one schema, column by column. */
export interface IpcBatch {
  readonly fields: readonly Field[];
  readonly columns: readonly Data[];
  readonly length: number;
}

/**
 * The record batches of Arrow IPC. The first has no records and tells the schema. Throws {@link ArrowFault} on
 * parts that contradict one another.
 */
export async function* readBatches(parts: AsyncIterable<IpcPart>): AsyncGenerator<IpcBatch> {
  let schema: Schema | null = null;
  const dictionaries = new Map<number, Vector>();
  for await (const part of parts) {
    if (part.kind === "schema") {
      if (schema !== null) throw new ArrowFault("has two schemas");
      schema = part.schema;
      yield { fields: schema.fields, columns: [], length: 0 };
      continue;
    }
    const { message, body } = part;
    if (schema === null) throw new ArrowFault("does not begin with a schema");
    if (message.isDictionaryBatch()) {
      const { id, isDelta, data } = decode(message, (one) => one.header());
      const type = schema.dictionaries.get(id);
      if (type === undefined) throw new ArrowFault(`has a dictionary ${id} that its schema does not name`);
      const field = { name: `dictionary ${id}`, type } as Field;
      const values = await columnsOf(message, body, [field], data, dictionaries);
      const earlier = isDelta ? (dictionaries.get(id)?.data ?? []) : [];
      dictionaries.set(id, new Vector([...earlier, ...values]));
    } else if (message.isRecordBatch()) {
      const header = decode(message, (one) => one.header());
      const columns = await columnsOf(message, body, schema.fields, header, dictionaries);
      yield { fields: schema.fields, columns, length: header.length };
    }
  }
  if (schema === null) throw new ArrowFault("is empty");
}

type Header = Parameters<typeof readBuffers>[1] & Parameters<typeof readColumns>[1];

async function columnsOf(
  message: Message,
  body: Uint8Array,
  fields: readonly Field[],
  header: Header,
  dictionaries: ReadonlyMap<number, Vector>,
): Promise<Data[]> {
  const buffers = await readBuffers(body, header);
  return decode(buffers, (all) =>
    readColumns(fields, header, all, dictionaries, message.version < MetadataVersion.V5),
  );
}
