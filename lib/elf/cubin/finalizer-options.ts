/**
 * EIATTR_MERCURY_FINALIZER_OPTIONS by optimization level (not readable; what the finalizer is told of the compilation). ptxas 13.0.88 writes
 * the same for every target and register limit; line tables and `-c` change it.
 */
interface FinalizerOptions {
  readonly relocatable: readonly string[];
  readonly executable: readonly string[];
}

const plain: FinalizerOptions = {
  relocatable: [
    "8a9d22a4b19d146d00b42af3f7366de0626964758cb0e4b93c0de962b945696ea345e47cbfbde7d54be8040120b4f27fe8e20000",
    "8a9d22a4b19d146d00b42af3f7144fc2404b4657ae92c69b1e2fcb409b674b4c8167c65e9d9fc5f769ca26230296d05dcac00000",
    "8a9d22a4b19d146d00b42af3f7f5ae23a1aaa7b64f73277affce2aa17a86aaad608627bf7c7e2416882bc7c2e37731bc2b210000",
    "8a9d22a4b19d146d00b42af3f758038e0c070a1be2de8ad75263870cd72b0700cd2b8a12d1d389bb25866a6f4eda9c11868c0000",
  ],
  executable: [
    "8a9d22a4b19d146d00b42af3f7366de0626964758cb0e4b93c0de962b945696ea345e47c2022784ad4779b9e49fa046c74000000",
    "8a9d22a4b19d146d00b42af3f7144fc2404b4657ae92c69b1e2fcb409b674b4c8167c65e02005a68f655b9bc6bd8264e56000000",
    "8a9d22a4b19d146d00b42af3f7f5ae23a1aaa7b64f73277affce2aa17a86aaad608627bfe3e1bb8917b4585d8a39c7afb7000000",
    "8a9d22a4b19d146d00b42af3f758038e0c070a1be2de8ad75263870cd72b0700cd2b8a124e4c1624ba19f5f027946a021a000000",
  ],
};

const withLines: FinalizerOptions = {
  relocatable: [
    "8a9d1a9c8248311096c3060b0f3e76742e1f7352fadc7efe279380c01b3d5b15181f7b90378c5f4129e66e29fab22db1646e9bad7f5d1e1e5971c3b5e418c6dc",
    "8a9d1a9c8248311096c3060b0f3e76742e1f7352fadc7efe279380c11a3c5a14191e7a91368d5e4028e76f28fbb32cb0656f9aac7e5c1f1f5870c2b4e519c7dd",
    "8a9d1a9c8248311096c3060b0f3e76742e1f7352fadc7efe279380b16a4c2a64696e0ae146fd2e3058971f588bc35cc0151feadc0e2c6f6f2800b2c49569b7ad",
    "8a9d1a9c8248311096c3060b0f3e76742e1f7352fadc7efe279380d50e284e000d0a6e8522994a543cf37b3cefa738a4717b8eb86a480b0b4c64d6a0f10dd3c9",
  ],
  executable: [
    "8a9d1a9c8248311096c3060b0f3e76742e1f7352fadc7efe279380c01b3d5b15181f7b90378c5f4129e66e29fab22db1646e6e588aa8ebebac849b46c4cf9a00",
    "8a9d1a9c8248311096c3060b0f3e76742e1f7352fadc7efe279380c11a3c5a14191e7a91368d5e4028e76f28fbb32cb0656f6f598ba9eaeaad859a47c5ce9b00",
    "8a9d1a9c8248311096c3060b0f3e76742e1f7352fadc7efe279380b16a4c2a64696e0ae146fd2e3058971f588bc35cc0151f1f29fbd99a9addf5ea37b5beeb00",
    "8a9d1a9c8248311096c3060b0f3e76742e1f7352fadc7efe279380d50e284e000d0a6e8522994a543cf37b3cefa738a4717b7b4d9fbdfefeb9918e53d1da8f00",
  ],
};

/** The payload of the attribute; null for a level that does not exist. */
export function finalizerOptions(level: number, lines: boolean, relocatable: boolean): Uint8Array | null {
  const hex = (lines ? withLines : plain)[relocatable ? "relocatable" : "executable"][level];
  return hex === undefined ? null : Uint8Array.from(hex.match(/../g)!, (b) => Number.parseInt(b, 16));
}
