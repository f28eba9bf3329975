// Runs batches of texts through an exported graph with onnxruntime.
//
//   npm install --ignore-scripts onnxruntime-node      in some folder
//   NODE_PATH=FOLDER/node_modules node onnxruntime.js MODEL.onnx < batches.json
//
// In: a list of batches, each its inputs by name: a list of texts, each a list of ids,
// padded with -1 to one length. Out: for each batch its outputs by name, each as {dims, data}.
const ort = require("onnxruntime-node");

async function main() {
  const session = await ort.InferenceSession.create(process.argv[2]);
  const batches = JSON.parse(require("fs").readFileSync(0, "utf8"));
  const results = [];
  for (const batch of batches) {
    const feeds = {};
    for (const [name, texts] of Object.entries(batch)) {
      const ids = BigInt64Array.from(texts.flat(), BigInt);
      feeds[name] = new ort.Tensor("int64", ids, [texts.length, texts[0].length]);
    }
    const outputs = await session.run(feeds);
    const result = {};
    for (const name of session.outputNames) {
      result[name] = { dims: outputs[name].dims, data: Array.from(outputs[name].data) };
    }
    results.push(result);
  }
  process.stdout.write(JSON.stringify(results));
}

main().catch((err) => {
  console.error(err.message);
  process.exit(1);
});
