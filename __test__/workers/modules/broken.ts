throw new RangeError("the module is broken");
