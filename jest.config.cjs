module.exports = {
  testEnvironment: "node",
  roots: ["<rootDir>/test"],
  // With one worker jest runs every file in its own process, whose heap the module registries of a hundred files fill;
  // a worker is started afresh when it has grown beyond the limit.
  maxWorkers: 2,
  workerIdleMemoryLimit: "1GB",
  transform: {
    "(^.+\\.ts|/node_modules/hyparquet.*\\.js)$": [
      "@swc/jest",
      {
        jsc: { target: "es2022", parser: { syntax: "typescript" } },
        module: { type: "commonjs" },
        sourceMaps: "inline",
      },
    ],
  },
  // hyparquet comes as ES modules only, which jest cannot require.
  transformIgnorePatterns: ["/node_modules/(?!hyparquet)"],
  moduleNameMapper: { "^(\\.{1,2}/.*)\\.js$": "$1" },
};
